/**
 * Measures ingest with `--mask`: lines of which none matches, and lines of which each matches, in turns with the same
 * lines without rules. Six rules with paths and four built-in patterns, as in docs/masking.md.
 *
 * With `patterns`: patterns of a file over records of which none matches, with both engines for patterns.
 *
 *   LOGWEIR_BENCH_CORE=0,1 node bench/masking.mjs 300000 5 [patterns]    records of a run, and turns
 */
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOnce, records, write } from './data.mjs'
import { cpuSeconds, median } from './process.mjs'
import { startService } from './service.mjs'

const [rows = 300_000, turns = 5] = process.argv.slice(2, 4).map(Number)
const isOfPatterns = process.argv[4] === 'patterns'
const folder = mkdtempSync(join(tmpdir(), 'logweir-bench-masking-'))

const PATHS = ['*.authorization', '*.apikey', '*.cookie', '*.password', 'request.headers.set_cookie', 'user.phone']
const BUILT_INS = ['url-tokens', 'jwt', 'email', 'card']
const rule = (kind, value, treatment) => `[[mask]]\n${kind} = '${value}'\nwith = "${treatment}"\n`
const masks = join(folder, 'masks.toml')
writeFileSync(
  masks,
  PATHS.map((path) => rule('path', path, '***')).join('') +
    BUILT_INS.map((name) => rule('builtin', name, 'hash')).join(''),
)

/** Adds a mail address to the message, and a header with a token, of each record. */
function* withSecrets(chunks) {
  let i = 0
  for (const chunk of chunks) {
    yield chunk
      .toString()
      .replaceAll(
        '"event_message":"',
        () => `"authorization":"Bearer token${i}","event_message":"user${i++ % 5_000}@example.com `,
      )
  }
}

const plain = join(folder, 'plain.ndjson')
const secret = join(folder, 'secret.ndjson')
await write(plain, [records('edge_logs', rows, false)])
await write(secret, [withSecrets(records('edge_logs', rows, false))])

/** Returns MB of lines a second until all rows are visible, and CPU seconds. */
async function measure(path, args, environment = {}) {
  await readOnce(path)
  const stdin = openSync(path, 'r')
  const dataDir = mkdtempSync(join(folder, 'data-'))
  const service = await startService(stdin, ['--data-dir', dataDir, ...args], environment)
  const { match, atMs } = await service.waitForOutput(/standard input ended: (\d+) rows accepted, (\d+) rejected/)
  closeSync(stdin)
  const cpu = cpuSeconds(service.pid)
  await service.stop()
  rmSync(dataDir, { recursive: true })
  if (Number(match[1]) !== rows) throw new Error(`${match[1]} of ${rows} rows were accepted`)
  return { rate: statSync(path).size / 1e6 / ((atMs - service.startedMs) / 1000), cpu }
}

/** A file with a pattern alone. */
function fileOf(name, pattern) {
  const path = join(folder, name)
  writeFileSync(path, rule('pattern', pattern, '***'))
  return path
}

const OFF = { LOGWEIR_NATIVE_PARTS: 'off' }
const withText = ['--mask', fileOf('with-text.toml', 'session=(\\w+)')]
const withoutText = ['--mask', fileOf('without-text.toml', '[a-z]+[0-9]{12}x')]
const CASES = isOfPatterns
  ? {
      'no rules': [plain, []],
      'a pattern with a text of its own, re2': [plain, withText],
      'a pattern without, re2': [plain, withoutText],
      'no rules, without native parts': [plain, [], OFF],
      'a pattern with a text of its own, re2js': [plain, withText, OFF],
      'a pattern without, re2js': [plain, withoutText, OFF],
    }
  : {
      'no rules, nothing to mask': [plain, []],
      'rules, nothing to mask': [plain, ['--mask', masks]],
      'no rules, each line has something': [secret, []],
      'rules, each line is masked': [secret, ['--mask', masks]],
    }
const found = Object.fromEntries(Object.keys(CASES).map((name) => [name, []]))
for (let turn = 0; turn < turns; turn++) {
  const names = Object.keys(CASES)
  for (const name of turn % 2 === 0 ? names : names.reverse()) found[name].push(await measure(...CASES[name]))
}
const rates = Object.fromEntries(
  Object.entries(found).map(([name, all]) => [name, median(all.map(({ rate }) => rate))]),
)
for (const [name, all] of Object.entries(found)) {
  console.log(`${name}: ${rates[name].toFixed(0)} MB/s, ${median(all.map(({ cpu }) => cpu)).toFixed(1)} s of CPU`)
}
if (!isOfPatterns) {
  const base = rates['no rules, nothing to mask']
  console.log(`nothing to mask: ${(rates['rules, nothing to mask'] / base).toFixed(2)} of the rate without rules`)
  console.log(
    `each line masked: ${(rates['rules, each line is masked'] / rates['rules, nothing to mask']).toFixed(2)} of that`,
  )
}
rmSync(folder, { recursive: true })
