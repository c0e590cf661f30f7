/** The types of settings that name sources. */

import { faultOfOwnNames, isSourceName, readOwnNames } from '../common/own-source-names.js'
import {
  type BuiltInSource,
  findSource,
  HISTORY_SOURCE,
  SOURCE_NAMES,
  SOURCES,
  type SourceName,
} from '../common/sources.js'
import type { ValueType } from './value-types.js'

const NINE = `a source: ${SOURCE_NAMES.join(', ')}, or the alias of one`

/** A source by name or alias, one of the nine or an own one: the service knows which own ones there are. */
export const sourceName: ValueType<SourceName> = {
  placeholder: 'NAME',
  expects: `${NINE}, or a name of --sources`,
  words: SOURCE_NAMES,
  read: (value) => findSource(value)?.name ?? (isSourceName(value) ? value : undefined),
}

/** Names of own sources, or any name. */
export const ownSources: ValueType<readonly SourceName[]> = {
  placeholder: 'NAMES',
  expects: 'a comma-separated list of names, or * for any name',
  faultOf: (value) => faultOfOwnNames(value),
  read: (value) => readOwnNames(value),
}

/** The sources that have tables in ClickHouse besides the nine. */
export const tableSources: ValueType<readonly SourceName[]> = {
  ...ownSources,
  faultOf: (value) => faultOfOwnNames(value, [HISTORY_SOURCE]),
  read: (value) => readOwnNames(value, [HISTORY_SOURCE]),
}

/** One of the nine sources by name or alias, or all of them. */
export const anySource: ValueType<BuiltInSource | 'all'> = {
  placeholder: 'NAME',
  expects: `"all" or ${NINE}`,
  words: ['all', ...SOURCE_NAMES],
  read: (value) =>
    value === 'all' ? value : SOURCES.find(({ name, alias }) => name === value || alias === value)?.name,
}
