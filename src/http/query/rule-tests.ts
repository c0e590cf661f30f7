import { LogweirError } from '../../base/errors.js'
import type { MemoryBudget } from '../../base/memory/memory-budget.js'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'
import { text } from '../../endpoints/params.js'
import { refuseUnknown } from '../../endpoints/unknown-parameters.js'
import type { RunOptions } from '../../engine/engine.js'
import { refusals } from '../reply/errors.js'
import { CODED_JSON_HEADERS, codedReply } from '../reply/reply.js'
import { createConcurrencyLimit } from './concurrency.js'
import { overloaded } from './slots.js'

/** The longest test of a rule. Shorter than clients wait for an answer. */
export const RULE_TEST_MS = 50_000

/** The parameters: the text of a rule's file, and the length of the time before now, such as `7d`. */
export const RULE_TEST_PARAMS = {
  rule: text('the text of the file of a rule'),
  last: text('the time before now in which the rule is evaluated, from 1s to 90d'),
}

/**
 * Evaluates a rule over the rows that are there now. Resolves with the answer as plain JSON. Rejects with
 * `invalid_rule`, `invalid_parameter` and the reason of the signal.
 */
export type TestRule = (
  asked: { rule: string; last: string },
  options: Required<Pick<RunOptions, 'signal' | 'memory'>>,
) => Promise<object>

/** Answers a request, given the parameters as a query string. */
export type RuleTests = (request: Request, search: string) => Promise<Response>

interface RuleTestsOptions {
  /** Undefined: the service does not run SQL. */
  testRule: TestRule | undefined
  memory: MemoryBudget
  metrics: Pick<Metrics, 'queriesRunning'>
  clock: Clock
  testMs?: number
}

/**
 * Creates the tests of rules. A single test runs at a time, besides queries. Rejects with `not_found` if the service
 * does not run SQL, `overloaded` if another test runs or if the test takes too long, and the errors of `testRule`.
 */
export function createRuleTests({
  testRule,
  memory,
  metrics,
  clock,
  testMs = RULE_TEST_MS,
}: RuleTestsOptions): RuleTests {
  const limits = { queriesAtOnce: 1, queriesWaiting: 0, waitMs: 0, queryMs: testMs }
  const concurrency = createConcurrencyLimit(limits, clock, metrics.queriesRunning)
  let isRunning = false
  return async (request, search) => {
    if (testRule === undefined) throw withoutSql()
    const asked = readAsked(search)
    if (isRunning) throw overloaded('Another test of a rule is running.')
    const test = async (signal: AbortSignal) => {
      isRunning = true
      const share = memory.open()
      try {
        return await testRule(asked, { signal, memory: share })
      } finally {
        // The test may end after its caller has left.
        isRunning = false
        share.release()
      }
    }
    const answer = await concurrency.run(test, request.signal)
    return codedReply(request.headers, { plain: Buffer.from(JSON.stringify(answer)) }, CODED_JSON_HEADERS)
  }
}

function readAsked(search: string): { rule: string; last: string } {
  const given = new URLSearchParams(search)
  refuseUnknown(given, Object.keys(RULE_TEST_PARAMS))
  const read = (name: keyof typeof RULE_TEST_PARAMS) => {
    const [value, second] = given.getAll(name)
    if (second !== undefined) throw refusals.twice(name)
    return RULE_TEST_PARAMS[name].read(value === '' ? undefined : value, name)
  }
  return { rule: read('rule'), last: read('last') }
}

const withoutSql = () =>
  new LogweirError(
    'not_found',
    'A rule is a query in SQL, which this service does not run for clients. Start it with --sql (LOGWEIR_SQL=true).',
  )
