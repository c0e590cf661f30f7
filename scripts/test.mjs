/**
 * Runs the tests: all that `npm test` has time for; `--unit` the unit tests alone, `--slow` those that it has no time for.
 * Other arguments go to vitest. Ends with the true sums of all runs: `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALL, OTHERS } from './runs.mjs'

const given = process.argv.slice(2)
const flag = given.find((argument) => OTHERS.has(argument))
const passedOn = given.filter((argument) => argument !== flag)
const RUNS = OTHERS.get(flag) ?? ALL
const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))

/** The counts of one run; a run that never reported, or failed outside of a test, counts as one failure. */
function runVitest({ timeZone, project }, index) {
  console.log(`\n== vitest ${project}, TZ=${timeZone} ==`)
  const report = join(folder, `${index}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync(
    process.execPath,
    [VITEST, 'run', '--passWithNoTests', '--project', project, ...reporters, ...passedOn],
    { stdio: 'inherit', env: { ...process.env, TZ: timeZone } },
  )
  const { passed, failed } = readReport(report)
  return { passed, failed: status !== 0 && failed === 0 ? 1 : failed }
}

function readReport(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const unread = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    )
    // A test that was switched off has not passed, and a file that could not be read counts as one test.
    return { passed: numPassedTests, failed: numFailedTests + numPendingTests + unread.length }
  } catch {
    return { passed: 0, failed: 0 }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'logweir-test-'))
const counts = RUNS.map(runVitest)
rmSync(folder, { recursive: true })
const sum = (name) => counts.reduce((total, count) => total + count[name], 0)
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = sum('failed') > 0 || sum('passed') === 0 ? 1 : 0
