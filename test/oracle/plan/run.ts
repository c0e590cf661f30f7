import { planColumns } from '../../../src/common/columns.js'
import type { SourceName } from '../../../src/common/sources.js'
import { call, type Expression, literal } from '../../../src/plan/expression.js'
import type { NamedExpression, Operator, Plan, SortKey } from '../../../src/plan/plan.js'
import { RawJson, type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import { numberAt, type TestRecord, textAt } from '../../support/records.js'
import { type Allowed, aggregate } from './aggregates.js'
import { callFunction, READS_TEXTS, truth } from './functions.js'
import { readJson, scalarOf } from './json.js'
import { keyText, order } from './values.js'

/**
 * The value of a column in a row, how far an answer may be off, or the code of the error that reading the cell raises.
 */
export interface Cell {
  value: Scalar
  allowed?: Allowed
  error?: string
}

/** A row: its columns, in order. */
interface OracleRow {
  cells: ReadonlyMap<string, Cell>
  /** The columns before the last `select` or `extend`, by which an order directly behind the operator may sort too. */
  before?: ReadonlyMap<string, Cell>
  /** The place in order of arrival, for rows of a scan of a single source. -1 if ties are open. */
  arrival: number
  /** The project of the record, if `arrival` counts. */
  project?: string | null
}

/** The answers that a plan may have. */
export interface Outcome {
  columns: readonly string[]
  /** The rows before a limit at the end of the plan, in order. */
  rows: readonly (readonly Cell[])[]
  /** Ranks of the rows, ascending. Rows of equal rank may change places. */
  ranks: readonly number[]
  limit: number
  offset: number
  /** The codes of errors of which one must be raised. Empty if no error has to be raised. */
  must: ReadonlySet<string>
  /** The codes of errors that may be raised instead of an answer. */
  may: ReadonlySet<string>
  /** If rows are missing, of which only the error is known. */
  isOpen: boolean
}

interface Rows {
  columns: readonly string[]
  rows: readonly OracleRow[]
  ranks?: readonly number[]
}

/** Thrown and found errors of a run. */
interface Errors {
  must: Set<string>
  may: Set<string>
  isOpen: boolean
}

/** The code of an error of the query. Any other error is a defect, and thrown on. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: string }
  if (code === 'invalid_sql' || code === 'invalid_pattern' || code === 'too_much_memory') return code
  throw error
}

/** An error that a cell keeps until the cell is read. */
class CellError extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** The value of an expression in a row. Throws the error of the query that the expression raises. */
function evaluate(expression: Expression, row: OracleRow): Scalar {
  if (expression.kind === 'literal') return expression.value
  if (expression.kind === 'call') {
    const args = READS_TEXTS.has(expression.fn) ? expression.args.map(asText) : expression.args
    return callFunction(
      expression.fn,
      args.map((arg) => () => evaluate(arg, row)),
    )
  }
  const cell = row.cells.get(expression.name)
  if (cell === undefined) throw new Error(`The oracle has no column ${expression.name}.`)
  if (cell.error !== undefined) throw new CellError(cell.error)
  return cell.value
}

const asText = (arg: Expression): Expression =>
  arg.kind === 'call' && arg.fn === 'field' ? { ...arg, fn: 'field_text' } : arg

const conjuncts = (where: Expression): Expression[] =>
  where.kind === 'call' && where.fn === 'and' ? where.args.flatMap(conjuncts) : [where]

/** The cell of an expression: a column unchanged, else the value or error of the expression. */
function cellOf(value: Expression, row: OracleRow, errors: Errors): Cell {
  if (value.kind === 'column') return row.cells.get(value.name)!
  try {
    const allowed = allowedOf(value, row)
    return { value: evaluate(value, row), ...(allowed && { allowed }) }
  } catch (error) {
    const code = codeOf(error)
    errors.may.add(code)
    return { value: null, error: code }
  }
}

/** How far an expression over an aggregate may be off: the form of the aggregate in an answer, or an element. */
function allowedOf(value: Expression, row: OracleRow): Allowed | undefined {
  if (value.kind !== 'call' || value.args[0]?.kind !== 'column') return undefined
  const allowed = row.cells.get(value.args[0].name)?.allowed
  const option = value.args[1]?.kind === 'literal' && value.args[1].value
  const returned = (one: Scalar) => callFunction('repeated', [() => one, () => option])
  if (value.fn === 'repeated') {
    if (allowed?.kind === 'any') return { ...allowed, values: allowed.values.map(returned) }
    if (allowed?.kind === 'list') return { ...allowed, values: returned(allowed.values) as readonly Scalar[] }
    return allowed
  }
  const isElement = value.fn === 'offset' || value.fn === 'safe_offset'
  if (!isElement || allowed?.kind !== 'rank' || value.args[1]?.kind !== 'literal') return undefined
  const percent = allowed.percents[Number(value.args[1].value)]
  return percent === undefined ? undefined : { ...allowed, percents: [percent] }
}

const cellsByRecord = new WeakMap<TestRecord, ReadonlyMap<string, Cell>>()

/** The columns of a record in a scan of the source. Kept, since many plans run over the same records. */
function cellsOf(record: TestRecord): ReadonlyMap<string, Cell> {
  const cells = cellsByRecord.get(record) ?? readCells(record)
  cellsByRecord.set(record, cells)
  return cells
}

function readCells(record: TestRecord): ReadonlyMap<string, Cell> {
  const hot = planColumns(record.source).map(({ name, kind, path }) => {
    const text = textAt(record.metadata, path)
    // Whether an absent path contains something is false, not unknown.
    if (kind === 'areas') return [name, text ?? ''] as const
    if (kind === 'number') return [name, numberAt(record.metadata, path) ?? null] as const
    return [name, kind === 'category' ? text || null : (text ?? null)] as const
  })
  const values: (readonly [string, Scalar])[] = [
    ['id', record.id],
    ['timestamp', new Timestamp(record.timestampUs)],
    ['event_message', record.event_message],
    ['project', record.project],
    ['metadata', new RawJson(record.metadata)],
    ...hot,
  ]
  return new Map(values.map(([name, value]) => [name, { value }]))
}

/** The columns that all sources of a scan have. */
function columnsOf(sources: readonly SourceName[]): string[] {
  const common = ['id', 'timestamp', 'event_message', 'project', 'metadata']
  const kinds = sources.map((source) => {
    return new Map(planColumns(source).map(({ name, kind }) => [name, kind === 'number' ? 'number' : 'text']))
  })
  const shared = [...kinds[0]!].filter(([name, kind]) => kinds.every((other) => other.get(name) === kind))
  return [...common, ...shared.map(([name]) => name)]
}

function scan(operator: Operator & { op: 'scan' }, records: readonly TestRecord[]): Rows {
  const columns = columnsOf(operator.sources)
  const rows = records.flatMap((record, i): OracleRow[] => {
    if (record.timestampUs < operator.fromUs || record.timestampUs > operator.throughUs) return []
    const times = operator.sources.filter((source) => source === record.source).length
    const cells = cellsOf(record)
    const row = { cells: new Map(columns.map((name) => [name, cells.get(name)!])), arrival: i, project: record.project }
    return Array<OracleRow>(times).fill(operator.sources.length === 1 ? row : { ...row, arrival: -1 })
  })
  return { columns, rows }
}

/** The values of a list that unnest makes rows of. */
function elementsOf(value: Scalar): Scalar[] {
  if (Array.isArray(value)) return [...value]
  const node = value instanceof RawJson ? readJson(value.text) : undefined
  if (node?.isList) return [...node.members!.values()].map(scalarOf)
  return node === undefined ? [] : [value]
}

/** Runs the operators of a plan, one after the other. */
class Interpreter {
  readonly #records: readonly TestRecord[]
  readonly errors: Errors = { must: new Set(), may: new Set(), isOpen: false }

  constructor(records: readonly TestRecord[]) {
    this.#records = records
  }

  /** `stopsEarly` if the engine may not need all rows of this plan. */
  run(plan: Plan, stopsEarly: boolean): Rows {
    return plan.reduce<Rows>(
      (input, operator, place) => this.#step(operator, input, stopsEarlyAfter(plan.slice(place + 1), stopsEarly)),
      { columns: [], rows: [] },
    )
  }

  #step(operator: Operator, input: Rows, stopsEarly: boolean): Rows {
    const attempt = <T>(make: () => T): T | undefined => {
      try {
        return make()
      } catch (error) {
        this.errors[stopsEarly ? 'may' : 'must'].add(codeOf(error))
        this.errors.isOpen = true
        return undefined
      }
    }
    switch (operator.op) {
      case 'scan':
        return scan(operator, this.#records)
      case 'view':
        throw new TypeError('The oracle keeps no views.')
      case 'union':
        return this.#union(operator.plans, stopsEarly)
      case 'unnest':
        return unnest(operator, input, attempt)
      case 'isIn':
        return this.#isIn(operator, input)
      case 'filter':
        return keepOrder(input, (row) => attempt(() => this.#passes(operator.where, row)) === true)
      case 'extend':
        return this.#columns(
          [...new Set([...input.columns, ...operator.columns.map(({ name }) => name)])],
          operator,
          input,
        )
      case 'select':
        return this.#columns(
          operator.columns.map(({ name }) => name),
          operator,
          input,
        )
      case 'group':
        return this.#group(operator, input, attempt)
      case 'orderBy':
        return sort(operator, input, attempt)
      case 'limit': {
        const window = [operator.offset, operator.offset + operator.rows] as const
        // Only an order directly over stored rows knows their arrival.
        const rows = input.rows.slice(...window).map((row) => ({ ...row, arrival: -1 }))
        return { ...input, rows, ...(input.ranks && { ranks: input.ranks.slice(...window) }) }
      }
    }
  }

  /**
   * Conditions of a conjunction are tried from the left. Conditions behind a condition that is not true may be tried,
   * or not.
   */
  #passes(where: Expression, row: OracleRow): boolean {
    const conditions = conjuncts(where)
    for (const [i, condition] of conditions.entries()) {
      if (truth(evaluate(condition, row)) === true) continue
      for (const later of conditions.slice(i + 1)) cellOf(later, row, this.errors)
      return false
    }
    return true
  }

  #union(plans: readonly Plan[], stopsEarly: boolean): Rows {
    const parts = plans.map((plan) => this.run(plan, stopsEarly))
    const [{ columns } = { columns: [] }] = parts
    const rows = parts.flatMap((part) =>
      part.rows.map(({ cells }) => ({
        cells: new Map(columns.map((name, i) => [name, cells.get(part.columns[i]!)!])),
        arrival: -1,
      })),
    )
    return { columns, rows }
  }

  /** All rows of the other plan are read, whatever becomes of the column. */
  #isIn({ value, plan, name }: Operator & { op: 'isIn' }, input: Rows): Rows {
    const inner = this.run(plan, false)
    const items = inner.rows.map(({ cells }) => cells.get(inner.columns[0]!)!)
    for (const { error } of items) if (error !== undefined) this.errors.must.add(error)
    const isAmong = call('in', value, ...items.map((item) => literal(item.value)))
    const made = { name, value: items.length === 0 ? literal(false) : isAmong }
    return this.#columns([...new Set([...input.columns, name])], { columns: [made] }, input)
  }

  #columns(columns: readonly string[], { columns: made }: { columns: readonly NamedExpression[] }, input: Rows): Rows {
    const values = new Map(made.map(({ name, value }) => [name, value]))
    const time = values.get('timestamp')
    // A computed timestamp has no order of arrival.
    const isStored = time === undefined || (time.kind === 'column' && time.name === 'timestamp')
    const rows = input.rows.map((row) => ({
      ...row,
      arrival: isStored ? row.arrival : -1,
      before: row.cells,
      cells: new Map(
        columns.map((name) => {
          const value = values.get(name)
          return [name, value === undefined ? row.cells.get(name)! : cellOf(value, row, this.errors)]
        }),
      ),
    }))
    return { ...input, columns, rows }
  }

  #group(operator: Operator & { op: 'group' }, input: Rows, attempt: <T>(make: () => T) => T | undefined): Rows {
    const groups = new Map<string, { keys: Scalar[]; rows: OracleRow[] }>()
    if (operator.keys.length === 0) groups.set('', { keys: [], rows: [] })
    for (const row of input.rows) {
      const keys = attempt(() => operator.keys.map(({ value }) => evaluate(value, row)))
      if (keys === undefined) continue
      const text = keys.map(keyText).join('\0')
      if (!groups.has(text)) groups.set(text, { keys, rows: [] })
      groups.get(text)!.rows.push(row)
    }
    const columns = [...operator.keys, ...operator.aggregates].map(({ name }) => name)
    const rows = [...groups.values()].map((group) => {
      const keys = group.keys.map((value): Cell => ({ value }))
      const values = operator.aggregates.map(({ value }): Cell => {
        return attempt(() => aggregate(value, group.rows, evaluate)) ?? { value: null }
      })
      return { cells: new Map([...keys, ...values].map((cell, i) => [columns[i]!, cell])), arrival: -1 }
    })
    return { columns, rows }
  }
}

/** Whether a limit behind an operator may spare the operator some rows. A group needs all rows. */
function stopsEarlyAfter(later: Plan, otherwise: boolean): boolean {
  if (later.some((operator) => operator.op === 'limit' && operator.rows === 0)) return true
  const next = later.find(({ op }) => op === 'limit' || op === 'group')
  return next === undefined ? otherwise : next.op === 'limit'
}

/** Keeps some rows, and the order of the rows. */
function keepOrder({ columns, rows, ranks }: Rows, isKept: (row: OracleRow) => boolean): Rows {
  const kept = rows.map(isKept)
  return {
    columns,
    rows: rows.filter((_, i) => kept[i]),
    ...(ranks && { ranks: ranks.filter((_, i) => kept[i]) }),
  }
}

function unnest(
  { list, name, isOuter }: Operator & { op: 'unnest' },
  { columns, rows }: Rows,
  attempt: <T>(make: () => T) => T | undefined,
): Rows {
  const made = rows.flatMap((row) => {
    const elements = attempt(() => elementsOf(evaluate(list, row))) ?? []
    if (elements.length === 0 && isOuter) elements.push(null)
    return elements.map((value) => ({ cells: new Map([...row.cells, [name, { value }]]), arrival: -1 }))
  })
  return { columns: [...new Set([...columns, name])], rows: made }
}

function sort(
  { keys, rank: ranked }: Operator & { op: 'orderBy' },
  { columns, rows }: Rows,
  attempt: <T>(make: () => T) => T | undefined,
): Rows {
  const isDescending = keys[0]!.direction === 'desc'
  const byArrival = ranked !== undefined || (keys.length === 1 && isDescending && isTimestamp(keys[0]!.by))
  const keyed = rows.flatMap((row) => {
    const known = { ...row, cells: new Map([...(row.before ?? []), ...row.cells]) }
    const values = attempt(() => keys.map(({ by }) => evaluate(by, known)))
    return values === undefined ? [] : [{ row, values }]
  })
  type Keyed = (typeof keyed)[number]
  const compare = (a: Keyed, b: Keyed) =>
    keys.reduce((result, key, i) => result || compareBy(key, a.values[i]!, b.values[i]!), 0)
  const sorted = keyed.sort((a, b) => compare(a, b) || (b.row.arrival - a.row.arrival) * (isDescending ? 1 : -1))
  // Sealed rows are sorted by project: their arrival is known among the rows of a single project.
  const projects = new Map<string, Set<unknown>>()
  for (const { row, values } of keyed) {
    const text = keyText(values[0]!)
    projects.set(text, (projects.get(text) ?? new Set()).add(row.project))
  }
  const isKnown = ({ row, values }: Keyed) =>
    byArrival && row.arrival >= 0 && projects.get(keyText(values[0]!))!.size === 1
  let rank = 0
  const ranks = sorted.map((item, i) => {
    const isTie = i > 0 && compare(sorted[i - 1]!, item) === 0
    return i > 0 && (!isTie || isKnown(item)) ? ++rank : rank
  })
  if (ranked === undefined) return { columns, rows: sorted.map(({ row }) => row), ranks }
  const counts = new Map<string, number>()
  const places = new Map<Keyed, number>()
  for (const item of isDescending ? sorted.toReversed() : sorted) {
    const time = keyText(item.values[0]!)
    counts.set(time, (counts.get(time) ?? 0) + 1)
    places.set(item, counts.get(time)!)
  }
  const rankOf = (item: Keyed): Cell => {
    const value = places.get(item)!
    if (isKnown(item)) return { value }
    const length = counts.get(keyText(item.values[0]!))!
    return { value, allowed: { kind: 'any', values: Array.from({ length }, (_, i) => i + 1) } }
  }
  const rankedRows = sorted.map((item): OracleRow => {
    return { ...item.row, cells: new Map([...item.row.cells, [ranked, rankOf(item)]]) }
  })
  return { columns: [...columns, ranked], rows: rankedRows, ranks }
}

const isTimestamp = (by: Expression) => by.kind === 'column' && by.name === 'timestamp'

function compareBy({ direction, nulls }: SortKey, a: Scalar, b: Scalar): number {
  if (a === null || b === null) return (Number(a === null) - Number(b === null)) * (nulls === 'last' ? 1 : -1)
  return order(a, b) * (direction === 'asc' ? 1 : -1)
}

/**
 * Runs a plan over records in order of arrival, a row at a time. Returns the possible answers, errors of a query
 * included. A plan that is not valid throws something, or nothing.
 */
export function runPlan(plan: Plan, records: readonly TestRecord[]): Outcome {
  const last = plan.at(-1)
  const cut = last?.op === 'limit' ? last : undefined
  const interpreter = new Interpreter(records)
  const { columns, rows, ranks } = interpreter.run(cut === undefined ? plan : plan.slice(0, -1), cut !== undefined)
  const { must, may, isOpen } = interpreter.errors
  if (cut?.rows === 0) {
    // An engine may skip all rows, and their errors.
    for (const code of must) may.add(code)
    must.clear()
  }
  const [limit, offset] = cut === undefined ? [Number.POSITIVE_INFINITY, 0] : [cut.rows, cut.offset]
  const isWhole = offset === 0 && limit >= rows.length
  const cells = rows.map((row) => columns.map((name) => row.cells.get(name)!))
  for (const { error } of cells.flat()) if (error !== undefined) (isWhole ? must : may).add(error)
  const isCutError = !isWhole && cells.flat().some(({ error }) => error !== undefined)
  return {
    columns,
    rows: cells,
    ranks: ranks ?? rows.map(() => 0),
    limit,
    offset,
    must,
    may,
    isOpen: isOpen || isCutError,
  }
}
