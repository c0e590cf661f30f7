/**
 * A reporter of vitest that writes the result of a run as JSON to the file LOGWEIR_TEST_REPORT: how many tests passed,
 * a line for each failure, and the seconds of each file. A skipped test is a failure, and so is an error outside of a
 * test: while a file is loaded, in a hook, or an unhandled rejection.
 */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

const MS_PER_SECOND = 1_000
const MAX_REASON_LENGTH = 300

export default class FailuresReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const failed = tests.filter((test) => test.result().state !== 'passed')
    const failures = [
      ...failed.map((test) => {
        const { state, errors = [] } = test.result()
        return lineOf(test.module.relativeModuleId, `${test.fullName} (${state})`, errors[0])
      }),
      ...modules.flatMap((module) =>
        [module, ...module.children.allSuites()].flatMap((suite) =>
          suite.errors().map((error) => lineOf(module.relativeModuleId, 'outside of its tests', error)),
        ),
      ),
      ...unhandledErrors.map((error) => lineOf(placeOf(error), 'outside of a test', error)),
    ]
    const files = modules.map((module) => ({
      name: module.relativeModuleId,
      seconds: module.diagnostic().duration / MS_PER_SECOND,
    }))
    const result = { passed: tests.length - failed.length, failures, files }
    writeFileSync(process.env.LOGWEIR_TEST_REPORT, JSON.stringify(result))
  }
}

/** Returns the first place in the stack of an error that is not in a package, such as `test/a.test.ts:12`. */
function placeOf({ stack = '' }) {
  const places = [...stack.matchAll(/\(?(\S+:\d+):\d+\)?$/gm)].map(([, place]) => place.replace('file://', ''))
  const own = places.find((place) => !place.includes('/node_modules/') && place.startsWith('/'))
  return own === undefined ? 'an unknown file' : relative(process.cwd(), own)
}

/** Returns a failure as a line: the file, the test, and the first line of the reason. */
function lineOf(file, test, error) {
  const [why] = (error?.message ?? '').split('\n', 1)
  return `${file}: ${test}: ${why.slice(0, MAX_REASON_LENGTH)}`
}
