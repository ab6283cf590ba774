// The timeline of 'foretrace view', and its trace for Perfetto's UI.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import test, { after, before } from 'node:test';
import { barriers, folder, foretrace, open, start, stop, write } from './support.mjs';

before(start);
after(stop);

function viewOf(trace, ...words) {
  const path = join(folder, `view-${Math.random()}.html`);
  foretrace('view', trace, '-o', path, ...words);
  return path;
}
const picked = (page) => page.textContent('.picked');
// How many different colours a column of threads' rows has: something is drawn.
const colours = (page) => page.evaluate(() => {
  const canvas = document.querySelector('canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
});

test('search goes to the events and shows them', async () => {
  const page = await open(viewOf('examples/dining.tiddle'));
  assert.ok((await colours(page)) > 5);
  await page.fill('input[type=search]', 'eaten');
  assert.equal(await page.textContent('.controls [role=status]'), '3 matches');
  await page.keyboard.press('Enter');
  assert.match(await picked(page), /Event 4: thread 1 writes eaten.*value 1 at dining.cpp:10/s);
  await page.keyboard.press('Enter');
  assert.match(await picked(page), /Event 9: thread 2 reads eaten/);
  await page.click('button:has-text("Its object before")');
  assert.match(await picked(page), /Event 4/);
  await page.fill('input[type=search]', 'nothing like it');
  assert.equal(await page.textContent('.controls [role=status]'), '0 matches');
  assert.deepEqual(page.complaints, []);
});

test('the keyboard steps, zooms and moves; a click picks', async () => {
  const page = await open(viewOf('examples/dining.tiddle'));
  await page.focus('.plot');
  await page.keyboard.press('n');
  assert.match(await picked(page), /Event 0: thread 0 forks 1/);
  await page.keyboard.press('n');
  assert.match(await picked(page), /Event 1:/);
  await page.keyboard.press('p');
  assert.match(await picked(page), /Event 0:/);
  for (const key of ['+', 'ArrowRight', 'End', 'Home', '-', '0']) await page.keyboard.press(key);
  const box = await page.locator('.plot').boundingBox();
  await page.mouse.click(box.x + box.width * 0.985, box.y + 40);
  assert.match(await picked(page), /Event 14: thread 0 joins 2/);
  assert.deepEqual(page.complaints, []);
});

test('no barriers, in light and dark and on a phone', async () => {
  const path = viewOf('examples/transfer.tiddle');
  for (const options of [{}, { colorScheme: 'dark' }, { viewport: { width: 390, height: 800 } }]) {
    const page = await open(path, options);
    await page.focus('.plot');
    await page.keyboard.press('n');
    assert.deepEqual(await barriers(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.close();
  }
});

test('a part of a long trace, and what is not in it is said', async () => {
  const trace = join(folder, 'long.ftr');
  foretrace('generate', '--events', '60k', '--threads', '20', '--units', '3', '-o', trace);
  const page = await open(viewOf(trace, '--from', '20k', '--to', '30k'));
  assert.match(await page.textContent('.caveats'), /from 20,000 to 30,000 only/);
  await page.fill('input[type=search]', '25000');
  await page.keyboard.press('Enter');
  assert.match(await picked(page), /Event 25,000:/);
  await page.fill('input[type=search]', '19999');
  assert.equal(await page.textContent('.controls [role=status]'), '0 matches');
  assert.deepEqual(page.complaints, []);
});

test('hostile names stay text', async () => {
  const evil = '</script><script>alert(1)</script>\u202e';
  const page = await open(viewOf(write('evil-view.tiddle', `wr <b> ${evil}\nacq 2 ${evil}\nwr 2 ${'y'.repeat(1000000)}\nrel 2 ${evil}\n`)));
  await page.focus('.plot');
  for (let i = 0; i < 3; ++i) await page.keyboard.press('n');
  assert.ok((await picked(page)).length < 2000);
  assert.deepEqual(page.complaints, []);
});

test("Perfetto's format: slices that nest, arrows with two ends, names", () => {
  const trace = write('waits.tiddle', ['fork 0 1', 'acq 1 m', 'beg 1 u', 'wait 1 m', 'acq 0 m', 'notify 0 m', 'rel 0 m', 'wr 1 x 7 @ a.cpp:1', 'end 1 u', 'rel 1 m', 'join 0 1', 'acq 0 open'].join('\n'));
  const path = join(folder, 'chrome.json');
  foretrace('view', trace, '--format', 'chrome', '-o', path);
  const { traceEvents } = JSON.parse(readFileSync(path, 'utf8'));
  const slices = traceEvents.filter((e) => e.ph === 'X' && e.dur > 0.8).map((e) => [e.name, e.tid, e.ts, Math.floor(e.ts + e.dur)]);
  assert.deepEqual(slices.sort((a, b) => a[2] - b[2] || b[3] - a[3]), [
    ['lock m', 2, 1, 9], ['unit u', 2, 2, 8], ['wait m', 2, 3, 7], ['lock m', 1, 4, 6], ['lock open', 1, 11, 12]]);
  assert.deepEqual(traceEvents.filter((e) => e.ph === 'M').map((e) => e.args.name), ['thread 0', 'thread 1']);
  const write7 = traceEvents.find((e) => e.name === 'w(x)');
  assert.deepEqual(write7.args, { event: 7, site: 'a.cpp:1', value: 7 });
  const arrows = traceEvents.filter((e) => e.cat === 'order');
  assert.deepEqual(arrows.filter((e) => e.ph === 's').map((e) => e.id), arrows.filter((e) => e.ph === 'f').map((e) => e.id));
  assert.ok(arrows.some((e) => e.name === 'fork') && arrows.some((e) => e.name === 'join') && arrows.some((e) => e.name === 'handed on'));
});
