/**
 * Runs the tests: all that `npm test` has time for; `--unit` the unit tests alone, `--slow` those that it has no time for.
 * Other arguments go to vitest. Ends with what failed, a line each, and the true sums of all runs: `N passed, N failed`.
 *
 * `LOGWEIR_TEST_SEED`, a number, is where the random tests begin; without it they begin anywhere.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALL, OTHERS } from './runs.mjs'

const given = process.argv.slice(2)
const flag = given.find((argument) => OTHERS.has(argument))
const passedOn = given.filter((argument) => argument !== flag)
const RUNS = OTHERS.get(flag) ?? ALL
const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))

/** What passed and failed in one run; a run that never reported, or failed outside of a test, is one failure. */
function runVitest({ timeZone, project }, index) {
  const title = `vitest ${project}, TZ=${timeZone}, Node ${process.version}`
  console.log(`\n== ${title} ==`)
  const report = join(folder, `${index}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync(
    process.execPath,
    [VITEST, 'run', '--passWithNoTests', '--project', project, ...reporters, ...passedOn],
    { stdio: 'inherit', env: { ...process.env, TZ: timeZone } },
  )
  const { passed, failures } = readReport(report)
  if (status !== 0 && failures.length === 0) failures.push('outside of a test')
  return { passed, failures: failures.map((failure) => `failed in ${title}: ${failure}`) }
}

/** How many tests a run passed, and the others, a line each. */
function readReport(report) {
  let testResults
  try {
    ;({ testResults } = JSON.parse(readFileSync(report, 'utf8')))
  } catch {
    return { passed: 0, failures: [] }
  }
  const tests = testResults.flatMap(({ name, assertionResults }) => assertionResults.map((test) => ({ name, ...test })))
  // A test that was switched off has not passed, and a file that could not be read counts as one test.
  const unread = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  const failed = tests.filter(({ status }) => status !== 'passed')
  return {
    passed: tests.length - failed.length,
    failures: [
      ...failed.map(({ name, fullName, status, failureMessages = [] }) =>
        lineOf(name, `${fullName} (${status})`, failureMessages[0]),
      ),
      ...unread.map(({ name, message }) => lineOf(name, 'could not be read', message)),
    ],
  }
}

/** A failure in a line: where, which, and the first line of why. */
function lineOf(file, test, why = '') {
  return `${relative(process.cwd(), file)}: ${test}: ${why.split('\n', 1)[0].slice(0, 300)}`
}

const folder = mkdtempSync(join(tmpdir(), 'logweir-test-'))
const results = RUNS.map(runVitest)
rmSync(folder, { recursive: true })
const failures = results.flatMap((result) => result.failures)
const passed = results.reduce((total, result) => total + result.passed, 0)
console.log(['', ...failures, `${passed} passed, ${failures.length} failed`].join('\n'))
process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0
