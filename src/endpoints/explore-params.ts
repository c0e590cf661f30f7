import { HOUR_US } from '../base/units.js'
import { allSourceNames, allSources, findSource, type SourceName } from '../common/sources.js'
import { equals, type Rows, scan } from '../plan/builder.js'
import { call, type Expression } from '../plan/expression.js'
import type { TimeRange } from '../plan/plan.js'
import { sql } from './endpoint.js'
import { FILTER_DESCRIPTION, messageContains, readFilter } from './filter.js'
import { type ArgsOf, invalidParameter, optionalText, type Param, required, text, timestamp } from './params.js'

/** If no start is given, the range starts this long before the end. */
const DEFAULT_RANGE_US = HOUR_US

/** The name or alias of a source, required. Throws `missing_parameter`, or `invalid_parameter` for another text. */
const SOURCE: Param<SourceName> = {
  ...required({
    required: true,
    description: '',
    codes: ['invalid_parameter'],
    read(value = '', name) {
      const source = findSource(value)
      if (source !== undefined) return source.name
      throw invalidParameter(`The parameter "${name}" is no source. Give it one of ${namesOfSources()}.`)
    },
  }),
  // Getters, since sources become known after the start.
  get description() {
    return `the source whose rows are read: one of ${namesOfSources()}, or an alias of it`
  },
  get schema() {
    return { type: 'string', enum: sourceWords(), minLength: 1 }
  },
}

const namesOfSources = () => allSourceNames().join(', ')

/** Returns the names and aliases of all known sources. */
export const sourceWords = (): string[] =>
  allSources().flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]))

/** A filter, or undefined if the filter is absent or has no condition. Throws the errors of {@link readFilter}. */
const FILTER: Param<Expression | undefined> = {
  required: false,
  description: FILTER_DESCRIPTION,
  codes: ['invalid_parameter', 'invalid_pattern'],
  schema: { type: 'string', contentMediaType: 'application/json' },
  read: (value, name) => (value === undefined ? undefined : readFilter(value, name)),
}

/** The parameters that all endpoints of the log explorer have. */
export const EXPLORE_PARAMS = {
  project: text('the project whose rows are read'),
  source: SOURCE,
  start: timestamp('only rows from this moment on, ISO 8601; default: an hour before the end, or before now'),
  end: timestamp('only rows before this moment, ISO 8601; default: no end'),
  filter: FILTER,
  search: optionalText('only rows whose event_message contains this text, ignoring case'),
}

/** The values of {@link EXPLORE_PARAMS}. */
export type ExploreArgs = ArgsOf<typeof EXPLORE_PARAMS>

/** The rows that {@link exploredRows} returns, in stored SQL. */
export const EXPLORED_SQL = sql`
  from @source
  where project = @project
    and timestamp >= @start and timestamp < @end
    -- the conditions of the filter
    and @filter
    and contains_substr(event_message, @search)
`

/** Returns the range of time of a request: from `start`, and before `end`. */
export function exploredRange({ start, end }: Pick<ExploreArgs, 'start' | 'end'>, nowUs: number): TimeRange {
  return {
    fromUs: start ?? (end ?? nowUs) - DEFAULT_RANGE_US,
    throughUs: end === undefined ? Number.POSITIVE_INFINITY : end - 1,
  }
}

/** Returns the rows of a project that pass the filter and the search, by default in the range of the request. */
export function exploredRows(
  args: ExploreArgs,
  nowUs: number,
  range: TimeRange = exploredRange(args, nowUs),
): Rows<string> {
  return scan(args.source, range).filter(equals('project', args.project), conditionOf(args))
}

/** Returns the condition of the filter and the search, or undefined if both are absent. */
export function conditionOf({ filter, search }: Pick<ExploreArgs, 'filter' | 'search'>): Expression | undefined {
  const searched = search === undefined ? undefined : messageContains(search)
  if (filter === undefined || searched === undefined) return filter ?? searched
  return call('and', filter, searched)
}
