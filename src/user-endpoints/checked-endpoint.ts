import { LogweirError } from '../base/errors.js'
import type { Call, Endpoint } from '../endpoints/endpoint.js'
import { answerColumns } from '../plan/answer.js'
import { limited } from '../plan/limited.js'
import { innerPlansOf, type Plan, readsOf, type TimeRange } from '../plan/plan.js'

/**
 * Returns an endpoint of a module with checks. Each plan passes {@link checkPlan} before an engine receives the plan. A
 * LogweirError that the endpoint throws is an answer to the client, and stays unchanged. The message of any other error
 * is prefixed with the endpoint's name.
 */
export function checkedEndpoint(endpoint: Endpoint): Endpoint {
  const { name, maxRows } = endpoint

  function named<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (error instanceof LogweirError) throw error
      throw new Error(`endpoint ${name}: ${error instanceof Error ? `${error.name}: ${error.message}` : error}`)
    }
  }

  const checked = <C extends Call>(call: C): C => ({
    ...call,
    plan: (nowUs) => named(() => checkPlan(call.plan(nowUs), maxRows)),
  })
  return {
    ...endpoint,
    call: (given) => checked(named(() => endpoint.call(given))),
    callBound: (given) => checked(named(() => endpoint.callBound(given))),
  }
}

/**
 * Returns the plan, limited to at most `maxRows` rows unless the plan ends at a whole bucket of a view. Throws a
 * TypeError if no engine can run the plan, or if the plan names a source or column that does not exist: a name may come
 * from a parameter, and must not become part of a server's SQL.
 */
export function checkPlan(plan: Plan, maxRows: number): Plan {
  if (!Array.isArray(plan))
    throw new TypeError('plan() did not return a plan. Build it with scan(…) and end it with .limit(rows).')
  answerColumns(plan)
  for (const read of readsOf(plan)) checkRange(read)
  checkLimits(plan)
  const [first] = plan
  return first?.op === 'view' && first.most !== undefined ? plan : limited(plan, maxRows)
}

/** Checks every limit of a plan and of the inner plans. */
function checkLimits(plan: Plan): void {
  for (const operator of plan) {
    innerPlansOf(operator).forEach(checkLimits)
    if (operator.op !== 'limit') continue
    for (const rows of [operator.rows, operator.offset]) {
      if (Number.isSafeInteger(rows) && rows >= 0) continue
      throw new TypeError(`limit(${rows}) is not a number of rows: use a non-negative integer.`)
    }
  }
}

function checkRange({ fromUs, throughUs }: TimeRange): void {
  for (const boundUs of [fromUs, throughUs]) {
    if (Number.isInteger(boundUs) || Math.abs(boundUs) === Number.POSITIVE_INFINITY) continue
    throw new TypeError(`scan() takes whole microseconds from fromUs through throughUs, not ${boundUs}.`)
  }
}
