import { LogweirError } from '../base/errors.js'
import type { Call, Endpoint } from '../endpoints/endpoint.js'
import { COLD_COLUMNS, groupingKey, type HotKind, hotColumns } from '../engine/columns.js'
import { type Aggregate, answerColumns, type Operator, type Plan } from '../engine/plan.js'
import { findSource } from '../sources.js'

/**
 * Returns an endpoint of a module as the service runs it. Each plan passes {@link checkPlan} before an engine receives
 * it. A LogweirError that the endpoint throws is an answer to the client, and stays as it is; the message of any other
 * error is prefixed with the endpoint's name.
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
 * Returns the plan, limited to at most `maxRows` rows. Throws a TypeError if no engine can run it, or if it names a
 * source or column that does not exist: a name may come from a parameter, and must not become part of a server's SQL.
 */
export function checkPlan(plan: Plan, maxRows: number): Plan {
  if (!Array.isArray(plan))
    throw new TypeError('plan() did not return a plan. Build it with scan(…) and end it with .limit(rows).')
  answerColumns(plan)
  const [first] = plan as Plan
  if (first?.op === 'scan') for (const operator of plan as Plan) checkOperator(operator, first)
  return (plan as Plan).map((one) => (one.op === 'limit' ? { ...one, rows: Math.min(one.rows, maxRows) } : one))
}

type Scan = Extract<Operator, { op: 'scan' }>

function checkOperator(operator: Operator, { source }: Scan): void {
  if (operator.op === 'scan') checkScan(operator)
  if (operator.op === 'filter') {
    const names = operator.predicates.map(({ column }) => column)
    checkNames(names, ['project', ...hotNames(source)], source)
  }
  if (operator.op === 'group' && operator.by !== 'timestamp') groupingKey(source, operator.by)
  if (operator.op === 'aggregate') {
    for (const aggregate of Object.values(operator.columns)) checkAggregate(aggregate, source)
  }
  if (operator.op === 'select') checkNames(operator.columns, ['timestamp', ...COLD_COLUMNS], source)
  if (operator.op === 'limit' && !(Number.isSafeInteger(operator.rows) && operator.rows >= 0)) {
    throw new TypeError(`limit(${operator.rows}) is not a number of rows: use a non-negative integer.`)
  }
}

function checkScan({ source, fromUs, throughUs }: Scan): void {
  if (findSource(source)?.name !== source) throw new TypeError(`There is no source ${JSON.stringify(source)}.`)
  for (const boundUs of [fromUs, throughUs]) {
    if (Number.isInteger(boundUs) || Math.abs(boundUs) === Number.POSITIVE_INFINITY) continue
    throw new TypeError(`scan() takes whole microseconds from fromUs through throughUs, not ${boundUs}.`)
  }
}

const hotNames = (source: Scan['source'], kind?: HotKind) =>
  hotColumns(source)
    .filter((column) => kind === undefined || column.kind === kind)
    .map(({ name }) => name)

function checkAggregate(aggregate: Aggregate, source: Scan['source']): void {
  if ('where' in aggregate) checkNames([aggregate.where.column], hotNames(source), source)
  else if (aggregate.fn !== 'count') checkNames([aggregate.column], hotNames(source, 'number'), source)
}

function checkNames(names: readonly string[], known: readonly string[], source: string): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(
    `${source} has no column ${JSON.stringify(unknown)} for this operator. Use one of: ${known.join(', ') || 'none'}.`,
  )
}
