// SARIF reports of every kind of finding against the schema of SARIF 2.1.0.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';
import Ajv from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { folder, foretrace, write } from './support.mjs';

const schemaPath = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
addFormats(ajv);
const valid = ajv.compile(JSON.parse(readFileSync(schemaPath, 'utf8')));

function check(sarif) {
  const log = JSON.parse(sarif);
  assert.ok(valid(log), JSON.stringify(valid.errors?.slice(0, 5), null, 1));
  return log.runs[0];
}

for (const trace of ['account', 'dining', 'transfer']) {
  test(`${trace} is valid SARIF`, () => {
    const run = check(foretrace('analyze', `examples/${trace}.tiddle`, '--format', 'sarif'));
    assert.ok(run.results.length > 0);
    for (const result of run.results) {
      assert.equal(run.tool.driver.rules[result.ruleIndex].id, result.ruleId);
      assert.ok(run.tool.driver.rules[result.ruleIndex].help.text.length > 20);
      assert.ok(result.locations.length === 1 && result.codeFlows[0].threadFlows.length > 0);
    }
  });
}

test('what lint finds is valid SARIF, with the way of each thread', () => {
  for (const [folder, kind] of [['chapter4/account', 'RwW'], ['chapter3/account', 'data-race']]) {
    const run = check(foretrace('lint', `tests/lint/${folder}.locks.cpp`, '--format', 'sarif'));
    assert.ok(run.results.some((result) => result.ruleId === kind));
    for (const result of run.results) {
      const orders = result.codeFlows[0].threadFlows.flatMap((flow) => flow.locations)
        .filter((step) => step.importance === 'essential').map((step) => step.executionOrder);
      assert.deepEqual(orders.sort(), orders.map((_, index) => index), 'each access at its own time');
    }
  }
});

test('suppressed, known and absent findings are valid SARIF', () => {
  const rules = write('rules.txt', 'analysis=lockset\n');
  const old = join(folder, 'old.json');
  foretrace('analyze', 'examples/account.tiddle', '--analysis', 'race,nondeterminism', '--format', 'json', '-o', old);
  const run = check(foretrace('analyze', 'examples/account.tiddle', '--analysis', 'cp,lockset,race', '--suppress', rules, '--baseline', old, '--format', 'sarif'));
  assert.equal(run.results.length, 4);
});

test('no findings, and hostile names, are valid SARIF', () => {
  assert.deepEqual(check(foretrace('analyze', write('none.tiddle', 'wr 1 x\n'), '--format', 'sarif')).results, []);
  const hostile = write('hostile.tiddle', 'wr 1 <script>"\u202e%20 @ a%20"<b>.cpp:3\nwr 2 <script>"\u202e%20 @ dir/ä#?.cpp:1:2\n');
  check(foretrace('analyze', hostile, '--analysis', 'hb', '--lenient', '--format', 'sarif'));
});
