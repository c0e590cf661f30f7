import type { SourceName } from './sources.js'

/** The end of the name of a table that has a shard's rows of a source in ClickHouse. The source's name is before it. */
export const SHARD_SUFFIX = '_shard'

/**
 * Whether a source can have a table in ClickHouse, named like the source. A name with the end of the tables of shards
 * cannot: `nginx_shard` would be a table of two sources.
 */
export const canHaveTable = (source: SourceName): boolean => !source.endsWith(SHARD_SUFFIX)
