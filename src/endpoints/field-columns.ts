import { LogweirError } from '../base/errors.js'
import type { Row } from '../plan/answer.js'
import { field, literal } from '../plan/expression.js'
import type { NamedAggregate, Plan } from '../plan/plan.js'
import { distinctValues } from '../plan/values/value-counts.js'
import { RawJson } from '../plan/values/values.js'
import type { PlanReader } from './endpoint.js'
import type { FieldCount } from './field-values.js'

/** The values of a field that are listed. */
export const TOP_VALUES = 10

/** A field with more values in the sample, such as a URL, has so many in all rows that counting them takes long. */
const MAX_SAMPLED_VALUES = 500

/** A row of `logs.fields` without the field's name: a field that is counted in all rows. */
type Counted = Readonly<Record<'count' | 'distinct' | 'rows', number>> & { values: RawJson; is_sample: false }

/**
 * Counts those of some fields in all rows of a range of which columns have the values, and of which the values repeat.
 * `reader.plan` selects columns of the rows. Undefined if the values are too many.
 */
export async function countInColumns(
  fields: readonly FieldCount[],
  { plan, run, columnPaths }: PlanReader,
): Promise<ReadonlyMap<FieldCount, Counted> | undefined> {
  const paths = new Set((await columnPaths?.(plan))?.map((keys) => JSON.stringify(keys)))
  const stored = fields.filter(
    ({ keys, values }) => paths.has(JSON.stringify(keys)) && distinctValues(values) <= MAX_SAMPLED_VALUES,
  )
  if (stored.length === 0) return undefined
  try {
    for await (const row of await run(countingPlan(plan, stored)))
      return new Map(stored.map((field, i) => [field, countedIn(row, i)]))
  } catch (error) {
    if (!(error instanceof LogweirError) || !TOO_MANY.has(error.code)) throw error
  }
  return undefined
}

const TOO_MANY: ReadonlySet<string> = new Set(['too_many_groups', 'too_much_memory'])

/** The plan of a single row: the number of the rows that the given plan selects from, and a column for each field. */
function countingPlan(plan: Plan, fields: readonly FieldCount[]): Plan {
  const rows: NamedAggregate = { name: 'rows', value: { fn: 'count', args: [] } }
  const aggregates = fields.map(({ keys }, i): NamedAggregate => {
    return { name: `field_${i}`, value: { fn: 'top_values', args: [field(keys), literal(TOP_VALUES)] } }
  })
  const selected = plan.slice(
    0,
    plan.findIndex(({ op }) => op === 'select'),
  )
  return [...selected, { op: 'group', keys: [], aggregates: [rows, ...aggregates] }]
}

function countedIn(row: Row, i: number): Counted {
  const [count, distinct, values] = JSON.parse((row[`field_${i}`] as RawJson).text)
  return { count, values: new RawJson(values), distinct, rows: Number(row.rows), is_sample: false }
}
