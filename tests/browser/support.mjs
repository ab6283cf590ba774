// What the tests share: the program, the browser, a page that must stay quiet.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

export const root = resolve(process.env.FORETRACE_ROOT);
const program = resolve(process.env.FORETRACE);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const folder = mkdtempSync(join(tmpdir(), 'foretrace-browser-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

// Runs the program; 0 and 1 are both fine: no findings, or findings.
export function foretrace(...words) {
  try {
    return execFileSync(program, words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  } catch (error) {
    if (error.status !== 1) throw new Error(`foretrace ${words.join(' ')}: ${error.stderr ?? error}`);
    return error.stdout;
  }
}

export function write(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

let pages = 0;
export function reportOf(trace, ...words) {
  const path = join(folder, `report-${++pages}.html`);
  foretrace('analyze', trace, '--format', 'html', '-o', path, ...words);
  return path;
}

let browser;
export async function start() {
  const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
  if (!path) throw new Error('Chromium is not installed (scripts/install-packages test)');
  browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
}
export const stop = () => browser.close();

// Opens a file. Whatever the page writes to the console, asks for in a dialog or
// fetches ends up in `complaints`.
export async function open(path, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, ...options });
  page.setDefaultTimeout(120_000); // other tests may keep the machine busy
  page.complaints = [];
  page.on('console', (message) => page.complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    page.complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) page.complaints.push(`fetches ${request.url()}`);
  });
  await page.goto(`file://${path}`);
  await page.waitForSelector('h1');
  return page;
}

export const dataOf = (page) => page.evaluate(() => JSON.parse(document.getElementById('data').textContent));

// What axe-core calls serious or critical, as text.
export async function barriers(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join(' | ')}`);
}
