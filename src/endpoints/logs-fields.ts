import { hotColumns } from '../common/columns.js'
import type { SourceName } from '../common/sources.js'
import type { AnswerColumn, Row } from '../plan/answer.js'
import { count, Rows } from '../plan/builder.js'
import { distinctValues, topValues } from '../plan/values/value-counts.js'
import { RawJson } from '../plan/values/values.js'
import { type Computation, computedEndpoint, sql } from './endpoint.js'
import { EXPLORE_PARAMS, EXPLORED_SQL, exploredRows } from './explore-params.js'
import { countInColumns, TOP_VALUES } from './field-columns.js'
import { type NamedField, nameOfField, nameOfPath, readFieldName } from './field-name.js'
import { countFields, countGroups, type FieldCount, type SampleLimits } from './field-values.js'
import type { Param } from './params.js'

/** The limits of a sample: rows, characters of metadata, and nodes and depth of the tree of fields. */
export const SAMPLE: SampleLimits = { rows: 2_000, characters: 8 * 1024 * 1024, nodes: 5_000, depth: 8 }
/** The most rows of an answer. */
export const MAX_FIELDS = 300
const TOP_VALUES_OF_ONE = 50

const COLUMNS: readonly AnswerColumn[] = [
  { name: 'field', kind: 'text' },
  { name: 'count', kind: 'count' },
  { name: 'values', kind: 'json' },
  { name: 'distinct', kind: 'count' },
  { name: 'rows', kind: 'count' },
  { name: 'is_sample', kind: 'boolean' },
]

const FIELD: Param<NamedField | undefined> = {
  required: false,
  description: 'only this field, and its values in all rows of the range: a name as in a filter',
  read: (value, name) => (value === undefined ? undefined : readFieldName(value, name, '')),
}

const PARAMS = { ...EXPLORE_PARAMS, field: FIELD }

/**
 * logs.fields: the fields of the rows of a source, and their most frequent values.
 *
 * Gives   a row for each field of the newest 2,000 rows, or of the newest 8 MiB of metadata, the declared fields first,
 *         then by count in these rows, at most 300: field (a name as in a filter), count (rows that have the field),
 *         values (JSON list of the 10 most frequent values with counts, without texts over 200 characters, objects and
 *         lists), distinct (different values), rows (rows that were counted), is_sample (whether the range has more
 *         rows). A field is counted in all rows of the range if columns have its values in all sealed rows of the
 *         range, and the newest rows have at most 500 of the values; else in the newest rows. With `field` a single
 *         row: the 50 most frequent values of the field in all rows of the range
 * Window  timestamp >= start, < end
 * Empty   no row has a field: no row. With `field`: a row of zeros
 * Cost    reads and parses the metadata of the newest rows, and a pass over the columns of the fields. With `field`: a
 *         single pass over the values of the field in all rows
 */
export const logsFields = computedEndpoint(
  {
    id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d13',
    name: 'logs.fields',
    summary: 'The fields of the rows of a source, and their most frequent values',
    maxRows: MAX_FIELDS,
    cache: 'disabled',
    params: PARAMS,
    refusesUnknown: true,
    query: sql`
      select
        -- each field of the metadata, or @field alone
        field,
        count(value) as count,
        -- the most frequent values with their counts
        approx_top_count(value, 10) as values,
        count(distinct value) as distinct,
        count(*) as rows,
        -- whether the field is counted in the newest 2,000 rows alone
        is_sample
      ${EXPLORED_SQL}
      group by field
    `,
    plan(args, nowUs) {
      const rows = exploredRows(args, nowUs)
      return args.field === undefined
        ? rows
            .select('metadata')
            .orderBy('timestamp', 'desc')
            .limit(SAMPLE.rows + 1)
        : Rows.planOf(rows.group({ value: args.field.expression }).aggregate({ rows: count() }))
    },
  },
  ({ field, source }) => (field === undefined ? listedFields(source) : valuesOfField(field)),
)

/** The fields of the newest rows, counted in all rows where columns have their values. */
const listedFields = (source: SourceName): Computation => ({
  columns: COLUMNS,
  async *rows(ofPlan, signal, reader) {
    const { fields, rows, isCut } = await countFields(ofPlan, SAMPLE, signal)
    const listed = inOrder(fields, source).slice(0, MAX_FIELDS)
    const counted = isCut ? await countInColumns(listed, reader) : undefined
    for (const one of listed) {
      const field = nameOfPath(one.keys)
      const inAll = counted?.get(one)
      yield inAll ? { field, ...inAll } : rowOf(field, one, { rows, most: TOP_VALUES, isCut })
    }
  },
})

/** The values of a field in all rows. */
const valuesOfField = (field: NamedField): Computation => ({
  columns: COLUMNS,
  async *rows(ofPlan, signal) {
    const found = await countGroups(ofPlan, signal)
    yield rowOf(nameOfField(field), found, { rows: found.rows, most: TOP_VALUES_OF_ONE, isCut: false })
  },
})

/** Sorts the fields that have a column first, in the order of the columns, then the others by count, then by name. */
function inOrder(fields: readonly FieldCount[], source: SourceName): FieldCount[] {
  const declared = hotColumns(source).map(({ path }) => nameOfPath(path))
  const named = fields.map((field) => {
    const name = nameOfPath(field.keys)
    const place = declared.indexOf(name)
    return { field, name, place: place < 0 ? declared.length : place }
  })
  named.sort((a, b) => a.place - b.place || b.field.count - a.field.count || (a.name < b.name ? -1 : 1))
  return named.map(({ field }) => field)
}

function rowOf(
  field: string,
  { count, values }: Omit<FieldCount, 'keys'>,
  { rows, most, isCut }: { rows: number; most: number; isCut: boolean },
): Row {
  return {
    field,
    count,
    values: new RawJson(topValues(values, most)),
    distinct: distinctValues(values),
    rows,
    is_sample: isCut,
  }
}
