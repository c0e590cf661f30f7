import { LogweirError } from '../base/errors.js'
import { createPatternCount } from '../base/pattern/pattern.js'
import type { SourceName } from '../common/sources.js'
import { columnsOfSource } from '../plan/columns.js'
import type { Expression } from '../plan/expression.js'
import { placeOf } from '../plan/place.js'
import { rowFailureOf } from '../plan/row-failures.js'
import { compileQuery } from '../sql/compile/compile-query.js'
import { noAmounts } from '../sql/compile/context.js'
import { NO_VIEWS } from '../sql/compile/readable-views.js'
import { located, placeText, unsupported } from '../sql/parse/fault.js'
import { SQL_LIMITS } from '../sql/parse/limits.js'
import { parseAlone } from '../sql/parse/parse-statement.js'
import type { Node, Query } from '../sql/parse/tree.js'
import { visitTree } from '../sql/parse/visit-tree.js'
import { withPlainLike } from './plain-like.js'

/** A condition of single rows, which raises no error in any row, and does not depend on the time. */
export interface RowCondition {
  /**
   * Returns the condition on the rows of a source. Undefined if the condition is true in every row. Throws
   * `invalid_sql`, `unsupported_sql` and `invalid_pattern`, with the place in the text.
   */
  of(source: SourceName): Expression | undefined
}

/**
 * Reads a condition of a deletion: an expression of SQL over the columns and fields of single rows. Throws
 * `invalid_sql` or `unsupported_sql`, with the place in the text.
 */
export function readCondition(text: string): RowCondition {
  const node = located(text, () => {
    const parsed = parseAlone(text, SQL_LIMITS)
    refuseOtherRows(parsed)
    return parsed
  })
  return { of: (source) => located(text, () => compileFor(source, node, text)) }
}

const NOW: ReadonlySet<string> = new Set(['current_timestamp', 'current_datetime', 'current_date'])

/** Refuses expressions that could be true of other rows in a later process: subqueries and the current time. */
function refuseOtherRows(node: Node): void {
  visitTree(node, (part) => {
    const { kind, at, name } = part as Partial<Node> & { name?: string }
    if (kind === 'inQuery')
      throw unsupported('A deletion decides each row by itself: write the values, as id in (…).', at!)
    if (kind === 'call' && NOW.has(name!))
      throw unsupported(`${name} changes until the rows are gone: write the time, as timestamp '2026-11-20'.`, at!)
  })
}

function compileFor(source: SourceName, where: Node, text: string): Expression | undefined {
  const context = {
    ...{ args: {}, nowUs: 0, limits: SQL_LIMITS, made: noAmounts(), countPattern: createPatternCount() },
    tables: { kind: 'stored' as const, views: NO_VIEWS },
    uses: { time: false, views: false },
    placeOf: (at: number) => () => placeText(text, at),
  }
  const filter = compileQuery(queryOf(source, where), context).find(({ op }) => op === 'filter')
  if (filter?.op !== 'filter') return undefined
  const condition = withPlainLike(filter.where)
  const failure = rowFailureOf(condition, columnsOfSource(source))
  if (failure === undefined) return condition
  const place = placeOf(failure.call)?.() ?? ''
  throw new LogweirError(
    'unsupported_sql',
    `${failure.name} can fail in a row, and would stop the deletion: ${failure.instead}.${place}`,
  )
}

/** `select * from source where …`. */
const queryOf = (name: SourceName, where: Node): Query => ({
  ...{ at: 0, depth: where.depth + 1, tables: [], orderBy: [], limit: undefined, offset: undefined },
  body: {
    ...{ kind: 'select', at: 0, isDistinct: false, groupBy: [], having: undefined },
    items: [{ kind: 'all', at: 0, table: undefined }],
    from: { table: { kind: 'table', at: 0, name, alias: undefined }, unnests: [] },
    where,
  },
})
