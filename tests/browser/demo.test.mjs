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
  // Which of them a run shows by itself depends on the machine; that all are proven does not.
  const proven = (kind, fits) => findings.some((f) => f.kind === kind && f.strength !== 'predicted' && fits(f));
  assert.ok(proven('data-race', (f) => f.variable === 'operations'));
  assert.ok(proven('deadlock', (f) => f.events.every((e) => e.function.startsWith('transfer'))));
  assert.ok(proven('atomicity-violation', (f) => f.labels.includes('withdraw')));
  assert.match(await page.locator('.commands').textContent(), /foretrace reduce \S*demo\/bank\.ftr --keep /);
  assert.match(await page.locator('.stack').first().textContent(), /called by .*bank\.cpp:8\d/);
  await page.click('.entry:has-text("deadlock")');
  assert.equal(await page.locator('.ring').count(), 1);
  assert.match(await page.locator('.code').first().textContent(), /std::lock_guard second\(to\.mutex\)/);
  assert.deepEqual(await barriers(page), []);
  assert.deepEqual(page.complaints, []);
});
