/**
 * ClickHouse as in `clickhouse-json.mjs`, with the table that its makers use for these events: types for the paths of
 * the queries, all other paths together, and rows sorted by the paths of the queries.
 */
import { EVENTS } from '../bluesky/queries.mjs'
import { DIALECT, openWith } from './clickhouse.mjs'
import { EVENT_DIALECT, eventLoad } from './clickhouse-json.mjs'

const TABLE = `create table ${EVENTS} (
    data JSON(
      max_dynamic_paths = 0, kind LowCardinality(String), commit.operation LowCardinality(String),
      commit.collection LowCardinality(String), did String, time_us UInt64
    ) codec(ZSTD(1))
  ) engine = MergeTree
  order by (data.kind, data.commit.operation, data.commit.collection, data.did, data.time_us)`

const dialect = {
  ...DIALECT,
  ...EVENT_DIALECT,
  path: (path) => `data.${path}`,
  eventTime: `fromUnixTimestamp64Micro(data.time_us, 'UTC')`,
}

/** Returns a row with a null for an empty text: a path with a type has the empty text where events lack the path. */
const plain = (row) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === '' ? null : value]))

export const open = (settings) =>
  openWith(settings, { tables: { [EVENTS]: TABLE }, loads: { [EVENTS]: eventLoad }, dialect, plain })
