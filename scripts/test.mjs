/**
 * Runs the tests. Without a flag: all but the slow tests. With `--slow`: the slow tests, and random tests at full size.
 * With `--projects=unit,page`: the named projects of vitest.config.ts, in the time zone TZ; `portable` are the tests
 * that depend on Node or the time zone, `native` those that depend on native parts. With `--without-native`: a part of
 * the tests without native parts, on all Nodes (see runs.mjs). Passes other arguments to vitest. Prints the seconds of
 * each run, the slowest files, a line per failure, and at the end the totals of all runs: `N passed, N failed`.
 *
 * `LOGWEIR_TEST_SEED`, a number, is the seed of the random tests. Without the variable each run uses a new seed.
 * `LOGWEIR_TEST_NODES`, folders of programs of newer Nodes with colons between, are the Nodes that `--slow` and
 * `--without-native` test with too.
 * `LOGWEIR_TEST_SCALE` sets how many runs the random tests have (see test/support/runs.ts).
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALL, runsOf, SLOW, WITHOUT_NATIVE } from './runs.mjs'

const args = process.argv.slice(2)
const flag = args.find((argument) => /^--(slow$|without-native$|projects=)/.test(argument))
const passedOn = args.filter((argument) => argument !== flag)
const RUNS = selectRuns()
const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const REPORTERS = ['--reporter=default', `--reporter=${fileURLToPath(new URL('reporter.mjs', import.meta.url))}`]

const SLOWEST_FILES = 10

function selectRuns() {
  if (flag === undefined) return ALL
  if (flag === '--without-native') return WITHOUT_NATIVE
  return flag === '--slow' ? SLOW : runsOf(flag.split('=')[1].split(','), process.env.TZ || undefined)
}

/**
 * Runs a project. Returns how many tests passed, the failures, and the seconds of the run and of each file. A run
 * without a report, or a run that failed and names no failure, is a single failure.
 */
function runVitest({ timeZone, project, files: only = [], scale, bin, nativeParts }, index) {
  const size = scale === undefined ? '' : `, scale ${scale}`
  const part = only.length > 0 ? ' (a part)' : ''
  const node = bin === undefined ? process.execPath : join(bin, 'node')
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  const parts = nativeParts ?? process.env.LOGWEIR_NATIVE_PARTS
  const hidden = parts === undefined ? '' : `, native parts ${parts}`
  const title = `vitest ${project}${part}, TZ=${timeZone}, Node ${version}${size}${hidden}`
  console.log(`\n== ${title} ==`)
  const environment = { LOGWEIR_TEST_SCALE: scale, LOGWEIR_NATIVE_PARTS: nativeParts, ...process.env }
  if (bin !== undefined) environment.PATH = `${bin}:${process.env.PATH}`
  const report = join(folder, `${index}.json`)
  const startMs = performance.now()
  const { status } = spawnSync(
    node,
    [VITEST, 'run', '--passWithNoTests', '--project', project, ...only, ...REPORTERS, ...passedOn],
    { stdio: 'inherit', env: { ...environment, TZ: timeZone, LOGWEIR_TEST_REPORT: report } },
  )
  const seconds = (performance.now() - startMs) / 1000
  const { passed, failures, files } = readReport(report)
  if (status !== 0 && failures.length === 0) failures.push('the run as a whole')
  return {
    title,
    seconds,
    passed,
    failures: failures.map((failure) => `failed in ${title}: ${failure}`),
    files: files.map((file) => ({ ...file, title })),
  }
}

/** Reads the report of reporter.mjs, or returns an empty report if there is none. */
function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return { passed: 0, failures: [], files: [] }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'logweir-test-'))
const results = RUNS.map(runVitest)
rmSync(folder, { recursive: true })
const failures = results.flatMap((result) => result.failures)
const passed = results.reduce((total, result) => total + result.passed, 0)
const files = results.flatMap((result) => result.files).sort((a, b) => b.seconds - a.seconds)
console.log()
for (const { title, seconds } of results) console.log(`${seconds.toFixed(1)} s ${title}`)
for (const { name, seconds, title } of files.slice(0, SLOWEST_FILES)) {
  console.log(`slow file: ${seconds.toFixed(1)} s ${name} (${title})`)
}
console.log(['', ...failures, `${passed} passed, ${failures.length} failed`].join('\n'))
process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0
