// 'foretrace demo': from nothing to a page with every kind of error in it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { barriers, dataOf, folder, foretrace, open, start, stop } from './support.mjs';

before(start);
after(stop);

test('the demo predicts the three mistakes, each with a schedule', async () => {
  const path = join(folder, 'demo.html');
  foretrace('demo', '-o', path, '--folder', join(folder, 'demo'));
  assert.ok(existsSync(join(folder, 'demo', 'bank.ftr')));
  const page = await open(path);
  const { findings } = await dataOf(page);
  const proven = (kind, test_) => findings.some((f) => f.kind === kind && f.strength === 'certified' && f.witness && test_(f));
  assert.ok(proven('data-race', (f) => f.variable === 'operations'));
  assert.ok(proven('deadlock', (f) => f.events.every((e) => e.function.startsWith('transfer'))));
  assert.ok(proven('atomicity-violation', (f) => f.labels.includes('withdraw')));
  assert.ok(!findings.some((f) => f.strength === 'observed'), 'the run itself must look fine');
  await page.click('.entry:has-text("deadlock")');
  assert.equal(await page.locator('.ev.pending').count(), 2);
  assert.match(await page.textContent('.code'), /std::lock_guard second\(to\.mutex\)/);
  assert.deepEqual(await barriers(page), []);
  assert.deepEqual(page.complaints, []);
});
