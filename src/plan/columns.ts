import { planColumns } from '../common/columns.js'
import { findSource, type SourceName } from '../common/sources.js'
import type { Type } from './values/values.js'

const COMMON: readonly (readonly [string, Type])[] = [
  ['id', 'text'],
  ['timestamp', 'timestamp'],
  ['event_message', 'text'],
  ['project', 'text'],
  ['metadata', 'json'],
]

const columnsBySource = new Map<SourceName, ReadonlyMap<string, Type>>()

function makeColumns(source: SourceName): ReadonlyMap<string, Type> {
  const hot = planColumns(source).map(({ name, kind }) => [name, kind === 'number' ? 'number' : 'text'] as const)
  return new Map([...COMMON, ...hot])
}

/**
 * Returns the columns that a scan of a source has, in order, with their static types: the same map each time. Throws a
 * TypeError if there is no such source, as in a plan of plain JavaScript.
 */
export function columnsOfSource(source: SourceName): ReadonlyMap<string, Type> {
  const existing = columnsBySource.get(source)
  if (existing !== undefined) return existing
  if (findSource(source)?.name !== source) throw new TypeError(`There is no source ${JSON.stringify(source)}.`)
  const columns = makeColumns(source)
  columnsBySource.set(source, columns)
  return columns
}
