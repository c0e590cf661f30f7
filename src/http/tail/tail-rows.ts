import { hash } from 'node:crypto'
import type { SourceName } from '../../common/sources.js'
import { conditionOf, EXPLORE_PARAMS } from '../../endpoints/explore-params.js'
import type { Expression } from '../../plan/expression.js'
import { refusals } from '../reply/errors.js'

/** Which rows of a project a tail follows. */
export interface TailRows {
  source: SourceName
  /** Only rows for which the condition is true. Undefined: all rows. */
  where: Expression | undefined
  /** Equal for equal parameters. */
  key: string
}

/** The rows of a tail without `source`, `filter` and `search`. */
export const EDGE_ROWS: TailRows = { source: 'edge_logs', where: undefined, key: keyOf('edge_logs', '', '') }

/**
 * Reads the parameters `source`, `filter` and `search`. Throws `duplicate_parameter`, `invalid_parameter` and
 * `invalid_pattern`.
 */
export function readTailRows(params: URLSearchParams): TailRows {
  const read = (name: 'source' | 'filter' | 'search') => onlyValue(params, name)
  const [sourceText, filterText, search] = [read('source'), read('filter'), read('search')]
  const { source: sourceParam, filter: filterParam } = EXPLORE_PARAMS
  const source = sourceText === undefined ? EDGE_ROWS.source : sourceParam.read(sourceText, 'source')
  const where = conditionOf({ filter: filterParam.read(filterText, 'filter'), search })
  return { source, where, key: keyOf(source, filterText, search) }
}

/** Returns the value of a parameter, or undefined if the parameter is absent or empty. Throws `duplicate_parameter`. */
export function onlyValue(params: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = params.getAll(name)
  if (others.length > 0) throw refusals.twice(name)
  return value || undefined
}

function keyOf(source: SourceName, filter = '', search = ''): string {
  return JSON.stringify([source, filter, search])
}

const NAME_CHARACTERS = 12

/** Returns the name of the rows of a project in ids of events: the same in each process and version. */
export function streamName(project: string, { key }: TailRows): string {
  return hash('sha256', JSON.stringify([project, key])).slice(0, NAME_CHARACTERS)
}
