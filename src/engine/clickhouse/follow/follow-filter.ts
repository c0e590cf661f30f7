import { createYielder } from '../../../base/scheduling/time-slices.js'
import { columnsOf, conjunctsOf, type Expression } from '../../../plan/expression.js'
import { RawJson, type Scalar, Timestamp } from '../../../plan/values/values.js'
import { computedFrame } from '../../execute/expressions/computed-frame.js'
import { keepPassing } from '../../execute/operators/filter.js'
import { lowerFilters } from '../lowering/conditions.js'
import type { Table } from '../lowering/operands.js'
import type { Cell } from '../server/clickhouse-server.js'

/**
 * The condition of a subscription. The server applies as much of the condition as the server can, the process decides.
 */
export interface FollowFilter {
  /** Conditions in SQL that are true in each row that passes. */
  sql: readonly string[]
  /** The columns that `keep` reads. */
  columns: readonly string[]
  /** Returns the rows that pass, in their order. `names` has the columns of their cells. */
  keep(rows: readonly Cell[][], names: readonly string[]): Promise<readonly Cell[][]>
}

const NO_FILTER: FollowFilter = { sql: [], columns: [], keep: async (rows) => rows }

/**
 * Returns the filter of a condition. The process reads all fields from the metadata, where declared fields have the
 * same values as in the columns. The process reads no field if the server applies the whole condition.
 */
export function createFollowFilter(where: Expression | undefined, table: Table): FollowFilter {
  if (where === undefined) return NO_FILTER
  const conditions = conjunctsOf(where)
  const { sql, count, exceptions } = lowerFilters(conditions, table)
  const isWhole = count === conditions.length && exceptions.mask === 0 && exceptions.odd.length === 0
  if (isWhole) return { ...NO_FILTER, sql }
  const columns = [...columnsOf(where)]
  return {
    sql,
    columns,
    async keep(rows, names) {
      if (rows.length === 0) return rows
      const values = columns.map((name) => {
        const place = names.indexOf(name)
        return [name, rows.map((cells) => scalarOf(name, cells[place]))] as const
      })
      const frame = computedFrame(rows.length, new Map(values))
      const kept = await keepPassing(frame, conditions, createYielder())
      return Array.from({ length: kept.rows }, (_, position) => rows[kept.rowOf(position)])
    },
  }
}

function scalarOf(name: string, cell: Cell): Scalar {
  if (name === 'timestamp') return new Timestamp(Number(cell))
  return name === 'metadata' ? new RawJson(cell as string) : cell
}
