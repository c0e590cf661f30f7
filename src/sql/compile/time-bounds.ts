import { type TimeUnit, unitUs } from '../../plan/values/times.js'
import { isInteger } from '../../plan/values/values.js'
import type { Node, Query, Select } from '../parse/tree.js'
import { visitTree } from '../parse/visit-tree.js'

/** The calls that return the time at which a query runs. */
const NOW: ReadonlySet<string> = new Set(['current_timestamp', 'current_datetime', 'current_date'])
const COMPARISONS: ReadonlySet<string> = new Set(['lt', 'le', 'gt', 'ge', 'eq'])

/**
 * Whether a query reads the current time only in conditions such as
 * `timestamp >= timestamp_sub(current_timestamp(), interval 5 minute)`: comparisons of the stored timestamp, in the
 * WHERE of a query over a source, with the current time moved by a fixed length. Each bound of a scan is then the
 * greatest, or the least, of fixed times and of times that move with the current time.
 */
export function readsTimeAsBound(query: Query): boolean {
  const found: Found = { calls: 0, selects: [], tables: new Set() }
  visitTree(query, (part) => collect(part, found))
  const bounds = found.selects
    .filter((select) => isOverSource(select, found.tables))
    .map(({ where }) => boundsIn(where))
  return found.calls === bounds.reduce((sum, count) => sum + count, 0)
}

interface Found {
  /** Calls of the current time. */
  calls: number
  selects: Select[]
  /** Names of common tables. */
  tables: Set<string>
}

/** Adds a part of a syntax tree to `found`. */
function collect(part: { kind?: string; tables?: Query['tables'] }, found: Found): void {
  if (isNow(part as Node)) found.calls++
  if (part.kind === 'select') found.selects.push(part as Select)
  for (const { name } of part.tables ?? []) found.tables.add(name.toLowerCase())
}

const isNow = (node: Node): boolean => node.kind === 'call' && NOW.has(node.name)

const isOverSource = ({ from }: Select, tables: ReadonlySet<string>): boolean =>
  from?.table.kind === 'table' && !tables.has(from.table.name.toLowerCase())

/** The number of conditions, connected by `and`, that compare the timestamp with the moved current time. */
function boundsIn(node: Node | undefined): number {
  if (node?.kind !== 'operator') return 0
  if (node.fn === 'and') return node.args.reduce((sum, arg) => sum + boundsIn(arg), 0)
  if (!COMPARISONS.has(node.fn)) return 0
  const [left, right] = node.args as [Node, Node]
  return (isTimestamp(left) && isMovedNow(right)) || (isMovedNow(left) && isTimestamp(right)) ? 1 : 0
}

const isTimestamp = (node: Node): boolean =>
  node.kind === 'name' && node.steps.length <= 2 && node.steps.at(-1)!.toLowerCase() === 'timestamp'

/** Whether a node is the current time, earlier or later by fixed lengths. */
function isMovedNow(node: Node): boolean {
  if (node.kind === 'call' && node.name === 'current_timestamp') return node.args.length === 0
  const isSum = node.kind === 'operator' && (node.fn === 'sub' || node.fn === 'add')
  const isMove = node.kind === 'call' && (node.name === 'timestamp_sub' || node.name === 'timestamp_add')
  if (!(isSum || isMove) || node.args.length !== 2) return false
  const [time, interval] = node.args as [Node, Node]
  return isMovedNow(time) && isFixedLength(interval)
}

function isFixedLength(node: Node): boolean {
  if (node.kind !== 'interval' || node.count.kind !== 'literal') return false
  return isInteger(node.count.value) && unitUs(node.unit.toLowerCase() as TimeUnit) !== undefined
}
