import { registerSource } from '../../common/sources.js'
import { call, column } from '../../plan/expression.js'
import type { Operator } from '../../plan/plan.js'
import { schemaOf } from '../../plan/schema.js'
import { invalid } from '../parse/fault.js'
import type { Table } from '../parse/tree.js'
import { addAmount, type Context } from './context.js'
import type { Relation } from './relation.js'

/** The name of the table of a stream of lines, and of the source in its plans. */
export const LINES = 'lines'

const COLUMNS = ['timestamp', 'line'] as const

/**
 * The lines of a stream. The timestamp may be null. The text of a line is stored as the message and as the metadata:
 * every name but those of the columns is a field of the line. Throws `invalid_sql` for another table.
 */
export function relationOfLines({ kind, name, at }: Exclude<Table, { kind: 'derived' }>, context: Context): Relation {
  if (kind === 'view' || name.toLowerCase() !== LINES)
    throw invalid(`There is no table ${name}. The lines are the table ${LINES}: from ${LINES}`, at)
  addAmount(context, 'scans', 1, at)
  registerSource(LINES)
  const { NEGATIVE_INFINITY: fromUs, POSITIVE_INFINITY: throughUs } = Number
  const columns = [
    { name: 'timestamp', value: call('known_time', column('timestamp')) },
    { name: 'line', value: column('event_message') },
  ]
  const plan: Operator[] = [
    { op: 'scan', sources: [LINES], fromUs, throughUs },
    { op: 'extend', columns },
  ]
  return {
    plan,
    schema: schemaOf(plan),
    names: COLUMNS,
    record: 'metadata',
    costs: new Map(),
    constants: new Map(),
    levels: 0,
  }
}
