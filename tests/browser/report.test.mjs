// The HTML report in a browser.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { barriers, dataOf, folder, foretrace, open, reportOf, start, stop, write } from './support.mjs';

before(start);
after(stop);

const said = (page) => page.textContent('.said');
const headline = (page) => page.textContent('.finding h2');

test('every kind of finding is shown, in light and dark, without barriers', async () => {
  const kinds = new Set();
  for (const trace of ['account', 'dining', 'transfer']) {
    const path = reportOf(`examples/${trace}.tiddle`);
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(path, { colorScheme });
      const data = await dataOf(page);
      for (const finding of data.findings) {
        kinds.add(finding.kind);
        await page.evaluate((id) => { location.hash = encodeURIComponent(id); }, finding.id);
        await page.waitForSelector(`.meta .id:text-is("${finding.id}")`);
        assert.equal(await headline(page), finding.headline);
        assert.equal(await page.locator('.event').count(), finding.events.length);
        assert.ok((await page.locator('.ev.marked').count()) >= finding.events.length);
        assert.equal(await page.locator('.pane').count(), finding.strength === 'certified' ? 2 : 1);
      }
      for (const kind of new Set(data.findings.map((f) => f.kind))) {
        const finding = data.findings.find((f) => f.kind === kind);
        await page.evaluate((id) => { location.hash = encodeURIComponent(id); }, finding.id);
        await page.waitForSelector(`.meta .id:text-is("${finding.id}")`);
        assert.deepEqual(await barriers(page), [], `${trace} ${kind} ${colorScheme}`);
      }
      assert.deepEqual(page.complaints, []);
      await page.close();
    }
  }
  assert.deepEqual([...kinds].sort(), ['atomic-set-violation', 'atomicity-violation', 'data-race', 'deadlock', 'nondeterministic-read']);
});

test('each kind has its picture', async () => {
  const page = await open(reportOf('examples/dining.tiddle', '--analysis', 'deadlock'));
  const cycle = await page.getAttribute('.ring', 'aria-label');
  assert.match(cycle, /thread 1 waits for right, which thread 2 holds; thread 2 waits for left, which thread 1 holds/);
  assert.equal(await page.locator('.ev.pending').count(), 2);
  const sets = await open(reportOf('examples/transfer.tiddle', '--analysis', 'atomic-sets'));
  assert.deepEqual((await sets.locator('.pattern tbody tr').allTextContents()), ['1reads balance', '2writes balance', '3writes balance']);
  const reads = await open(reportOf('examples/account.tiddle', '--analysis', 'nondeterminism'));
  assert.match(await reads.textContent('.writers'), /It saw.*write of thread 1.*reads count.*It can see.*the initial value/s);
  const units = await open(reportOf('examples/transfer.tiddle', '--analysis', 'serializability'));
  assert.match(await units.getAttribute('.ring', 'aria-label'), /withdraw before deposit; deposit before withdraw/);
});

test('filters choose by kind, strength, file and text', async () => {
  const trace = write('files.tiddle', ['fork 0 1', 'fork 0 2', 'wr 1 a @ one.cpp:1', 'wr 2 a @ one.cpp:2', 'wr 1 b @ two.cpp:1', 'wr 2 b @ two.cpp:2',
    'acq 1 l', 'acq 1 m', 'rel 1 m', 'rel 1 l', 'acq 2 m', 'acq 2 l', 'rel 2 l', 'rel 2 m'].join('\n'));
  const page = await open(reportOf(trace, '--analysis', 'hb,deadlock,lockset'));
  const found = () => page.textContent('.found');
  const shown = () => page.locator('.entry .what').allTextContents();
  assert.equal(await found(), '3 errors');
  await page.selectOption('label:has-text("Kind") select', 'deadlock');
  assert.equal(await found(), '1 of 3 errors');
  assert.match((await shown())[0], /deadlock/);
  await page.selectOption('label:has-text("Kind") select', '');
  await page.selectOption('label:has-text("File") select', 'two.cpp');
  assert.deepEqual(await shown(), ['data race on b']);
  await page.selectOption('label:has-text("File") select', '');
  await page.selectOption('label:has-text("Strength") select', 'certified');
  assert.match((await shown())[0], /deadlock/);
  await page.selectOption('label:has-text("Strength") select', '');
  await page.fill('input[type=search]', 'ONE.cpp race');
  assert.deepEqual(await shown(), ['data race on a']);
  assert.equal(await headline(page), 'data race on a');
  await page.fill('input[type=search]', 'nowhere');
  assert.equal(await page.textContent('.empty'), 'Nothing matches these filters.');
  assert.deepEqual(page.complaints, []);
});

test('stepping shows the locks, the values and the error come together', async () => {
  const page = await open(reportOf('examples/account.tiddle', '--analysis', 'race'));
  const state = () => page.textContent('.state');
  assert.match(await state(), /Here thread 1 and thread 2 access count with nothing between them/);
  await page.focus('.box');
  await page.keyboard.press('Home');
  assert.equal(await said(page), 'Nothing has happened yet.');
  const story = [];
  const held = [];
  for (let i = 0; i < 8; ++i) {
    await page.keyboard.press('ArrowRight');
    story.push(await said(page));
    held.push(/mutex by thread 2/.test(await state()));
    assert.equal(/Here thread 1/.test(await state()), i === 7);
  }
  assert.deepEqual(story.map((line) => Number(/event (\d+)/.exec(line)[1])), [0, 1, 2, 8, 9, 10, 3, 11]);
  assert.equal(story[3], 'thread 2 acquires mutex, event 8.');
  assert.deepEqual(held, [false, false, false, true, true, false, false, false]);
  assert.deepEqual(await page.locator('.pane').nth(1).locator('.index').allTextContents(), ['0', '1', '2', '8', '9', '10', '3', '11']);
  assert.equal(await page.locator('.pane').nth(1).locator('.ev.moved').textContent(), 'w(count)↓3');
  assert.ok((await page.locator('.move').count()) >= 2);
  assert.ok((await page.locator('.edge.lock').count()) >= 1);
  await page.locator('input[type=range]').fill('4');
  assert.equal(await said(page), 'thread 2 acquires mutex, event 8.');
  await page.selectOption('.which select', 'observed');
  assert.equal(await page.locator('.pane').count(), 1);
});

test('what a racing access would see is not claimed', async () => {
  const page = await open(reportOf('examples/account.tiddle', '--analysis', 'race'));
  const texts = (pane) => page.locator('.pane').nth(pane).locator('.ev.marked').allTextContents();
  assert.deepEqual(await texts(0), ['w(count)=1', 'r(count)=1']);
  assert.deepEqual(await texts(1), ['w(count)↓3', 'r(count)']);
});

test('the keyboard is enough', async () => {
  const page = await open(reportOf('examples/transfer.tiddle'));
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.type), 'search');
  await page.keyboard.type('read');
  const focusOn = async (selector) => {
    for (let i = 0; i < 20; ++i) {
      await page.keyboard.press('Tab');
      if (await page.evaluate((s) => document.activeElement.matches(s), selector)) return;
    }
    assert.fail(`Tab does not get to ${selector}`);
  };
  await focusOn('.list');
  const first = await page.textContent('.meta .id');
  await page.keyboard.press('End');
  const last = await page.textContent('.meta .id');
  assert.notEqual(first, last);
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'detail');
  await focusOn('.controls button');
  await page.keyboard.press('Enter');
  assert.equal(await said(page), 'Nothing has happened yet.');
  await focusOn('input[type=range]');
  await page.keyboard.press('ArrowRight');
  assert.match(await said(page), /event 0\.$/);
  assert.deepEqual(page.complaints, []);
});

test('on a phone nothing is wider than the screen', async () => {
  for (const trace of ['account', 'dining', 'transfer']) {
    const page = await open(reportOf(`examples/${trace}.tiddle`), { viewport: { width: 390, height: 800 } });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(await barriers(page), []);
    await page.close();
  }
});

test('on paper there is every finding', async () => {
  const page = await open(reportOf('examples/transfer.tiddle'));
  const groups = (await dataOf(page)).groups.length;
  const pdf = await page.pdf();
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length;
  assert.ok(sheets >= groups, `${sheets} sheets`);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.locator('article').count(), groups);
  assert.ok(await page.isVisible('.coverage table'));
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.equal(await page.locator('article').count(), 1);
  assert.ok(!(await page.isVisible('.coverage table')));
  assert.deepEqual(page.complaints, []);
});

test('hostile names stay text', async () => {
  const evil = '</script><script>alert(1)</script><img/src=x/onerror=alert(2)>"\u202e&lt;';
  const long = 'x'.repeat(1000000);
  const lines = [`wr ${'<b>1</b>'} ${evil} @ <i>.cpp:1`, `wr 2 ${evil} @ a\u202eb.cpp:2`, `wr ${'<b>1</b>'} ${long}`, `wr 2 ${long}`];
  const page = await open(reportOf(write('evil.tiddle', lines.join('\n')), '--analysis', 'hb'));
  assert.equal(await page.locator('.entry').count(), 2);
  for (let i = 0; i < 2; ++i) {
    await page.locator('.entry').nth(i).click();
    assert.ok((await page.locator('.ev').count()) >= 2);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.ok((await page.evaluate(() => document.getElementById('app').textContent.length)) < 20000);
  }
  assert.equal(await page.locator('#app img, #app script, #app b:has-text("1</b>"), #app i').count(), 0);
  assert.match(await page.locator('.entry .what').first().textContent(), /<\/script><script>alert\(1\)/);
  assert.deepEqual(page.complaints, []);
});

test('a report without the trace says that it has no schedules', async () => {
  const trace = write('gone.tiddle', 'wr 1 x\nwr 2 x\n');
  const saved = join(folder, 'gone.json');
  foretrace('analyze', trace, '--format', 'json', '-o', saved);
  write('gone.tiddle', 'wr 1 x\n');
  const path = join(folder, 'gone.html');
  foretrace('report', saved, '-o', path);
  const page = await open(path);
  assert.match(await page.textContent('.finding'), /The trace was not at hand/);
  assert.deepEqual(page.complaints, []);
});

test('on paper source is wrapped, and dark colours stay on the screen', async () => {
  write('wide.cpp', `int x = 1;  // ${'wide '.repeat(60)}\n`);
  const trace = write('wide.tiddle', `wr 1 x @ ${join(folder, 'wide.cpp')}:1\nwr 2 x @ ${join(folder, 'wide.cpp')}:1\n`);
  const page = await open(reportOf(trace, '--analysis', 'hb'), { colorScheme: 'dark' });
  const colour = () => page.evaluate(() => getComputedStyle(document.querySelector('.message')).color);
  const cut = () => page.evaluate(() => { const code = document.querySelector('.code'); return code.scrollWidth > code.clientWidth; });
  assert.ok(await cut());
  const onScreen = await colour();
  await page.emulateMedia({ media: 'print' });
  assert.ok(!(await cut()));
  assert.notEqual(await colour(), onScreen);
});

test('commands name the trace, and say so where it is in no file', async () => {
  const trace = write('named.tiddle', 'wr 1 x\nwr 2 x\n');
  const named = await open(reportOf(trace, '--analysis', 'hb'));
  assert.match(await named.textContent('.commands'), new RegExp(`foretrace reduce ${trace} --keep hb-`));
  const path = join(folder, 'piped.html');
  foretrace('report', write('program.json', foretrace('analyze', trace, '--analysis', 'hb', '--format', 'json').replaceAll(trace, '/bin/true')),
    '-o', path);
  const piped = await open(path);
  assert.match(await piped.textContent('.commands'), /TRACE is the trace in a file.*foretrace reduce TRACE --keep hb-/s);
});

test('no findings', async () => {
  const page = await open(reportOf(write('clean.tiddle', 'wr 1 x\n')));
  assert.equal(await page.textContent('h1'), 'No findings');
  assert.deepEqual(await barriers(page), []);
});

test('of a long trace only what is around findings is embedded', async () => {
  const trace = join(folder, 'long.ftr');
  foretrace('generate', '--events', '250k', '--threads', '4', '--races', '3', '-o', trace);
  const page = await open(reportOf(trace, '--analysis', 'hb'));
  const data = await dataOf(page);
  assert.equal(data.findings.length, 3);
  assert.ok(data.events.index.length > 20 && data.events.index.length < 30000);
  const marked = await page.locator('.ev.marked').allTextContents();
  assert.deepEqual(marked.map((text) => text.replace(/=.*/, '')).sort(), data.findings[0].events.map((e) => `${e.op[0]}(${e.object})`).sort());
  const indexes = (await page.locator('.index').allTextContents()).map(Number);
  for (const event of data.findings[0].events) assert.ok(indexes.includes(event.index));
  assert.deepEqual(page.complaints, []);
});

// 10,000 findings, and a schedule of 100,000 events. How long it takes is printed,
// not judged.
test('large reports show only what is on the screen', async (context) => {
  const lines = ['fork 0 1', 'fork 0 2'];
  const findings = [];
  for (let i = 0; i < 50000; ++i) lines.push(`wr 1 v${i % 1000} ${i}`);
  lines.push('acq 1 l', 'rel 1 l', 'acq 2 l', 'rel 2 l');
  for (let i = 0; i < 50000; ++i) lines.push(`wr 2 w${i % 1000} ${i}`);
  lines.push('wr 2 v0');
  const last = lines.length - 1;
  const access = (index, thread, name, line) => ({ index, thread, op: 'wr', object: name, site: `big.cpp:${line}` });
  for (let i = 0; i < 10000; ++i) {
    findings.push({ id: `race-${i}`, analysis: 'race', kind: 'data-race', strength: i === 0 ? 'certified' : 'predicted', message: `data race on v${i}`, reason: '',
      variable: `v${i}`, lock: null, labels: [], events: [access(2 + i, '1', `v${i}`, i + 1), access(60000 + i, '2', `v${i}`, 20000 + i)], witness: null, detail: {} });
  }
  // The first: all of thread 2 comes before the writes of thread 1.
  const witness = [0, 1];
  for (let i = 50004; i < last; ++i) witness.push(i);
  for (let i = 2; i < 50000; ++i) witness.push(i);
  findings[0].witness = [...witness, 50001, last];
  findings[0].events = [access(50001, '1', 'v0', 1), access(last, '2', 'v0', 2)];
  const trace = write('big.tiddle', `${lines.join('\n')}\n`);
  const saved = write('big.json', JSON.stringify({ schema: 'foretrace/findings/1', trace: { source: trace, events: lines.length }, findings }));
  const path = join(folder, 'big.html');
  foretrace('report', saved, '-o', path);
  const begin = Date.now();
  const page = await open(path);
  await page.waitForSelector('.ev.marked');
  context.diagnostic(`opened in ${Date.now() - begin} ms`);
  assert.equal(await page.textContent('.found'), '10,000 errors');
  assert.ok((await page.locator('.entry').count()) < 60);
  assert.ok((await page.locator('.ev').count()) < 200);
  assert.match(await page.locator('.fold').first().textContent(), /events/);
  // Unfold: all rows are there, few are drawn, and the end can be scrolled to.
  const right = page.locator('.pane').nth(1);
  const before = await page.evaluate(() => document.querySelector('.canvas').clientHeight);
  await right.locator('.fold', { hasText: /\d\d,\d\d\d events/ }).first().click();
  await page.waitForFunction((height) => document.querySelector('.canvas').clientHeight > height + 100000, before);
  assert.ok((await page.locator('.ev').count()) < 200);
  await page.evaluate(() => { const box = document.querySelector('.box'); box.scrollTop = box.scrollHeight / 2; });
  await page.waitForFunction(() => [...document.querySelectorAll('.pane:last-child .index')].some((e) => Number(e.textContent) > 10000));
  await page.focus('.list');
  await page.keyboard.press('End');
  await page.waitForSelector('.entry.open:has-text("v9999")');
  assert.deepEqual(page.complaints, []);
});

test('a trace is measured in events', async () => {
  const page = await open(reportOf('examples/account.tiddle', '--analysis', 'race'));
  assert.equal(await page.textContent('.facts'), '15 events · 3 threads · 3 locations · 1 lock');
  await page.close();
});

test('what lint finds is shown with its source, and what was read is called source', async () => {
  const path = join(folder, 'lint.html');
  foretrace('lint', 'tests/lint/chapter4/account.locks.cpp', '-o', path);
  const page = await open(path);
  assert.match(await page.textContent('.facts'), /^\d+ lines of source · 3 threads/);
  assert.equal(await page.locator('.event').count(), 3);
  assert.match(await page.textContent('.finding'), /in the second block, with the older value/);
  assert.deepEqual(await barriers(page), []);
  assert.deepEqual(page.complaints, []);
  await page.close();
});
