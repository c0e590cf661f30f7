import { hotColumns } from '../engine/columns.js'
import type { SourceName } from '../sources.js'
import type { Type } from './values/values.js'

const COMMON: readonly (readonly [string, Type])[] = [
  ['id', 'text'],
  ['timestamp', 'timestamp'],
  ['event_message', 'text'],
  ['project', 'text'],
  ['metadata', 'json'],
]

/** The columns that a scan of a source has, in order, with their static types. */
export function columnsOfSource(source: SourceName): ReadonlyMap<string, Type> {
  const hot = hotColumns(source).map(({ name, kind }) => [name, kind === 'number' ? 'number' : 'text'] as const)
  return new Map([...COMMON, ...hot])
}
