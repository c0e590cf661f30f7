import { DAY_US, KIB } from '../../../base/units.js'
import { allSourceNames, type SourceName } from '../../../common/sources.js'
import { MAX_USAGE_ROWS, type Usage, type UsageQuery } from '../../../common/usage.js'
import { createUsageSums, type UsageRun } from '../../usage.js'
import { quotedTable, type TableLocation, tableWithRows } from '../schema/table-names.js'
import { type Cell, lacksTable, type Server } from '../server/clickhouse-server.js'
import { bucketNumber, quoteName, textValue, timeCondition } from '../server/values.js'

/** The most characters of a list of projects. A query has at most 1 MiB. */
const MOST_LIST_LENGTH = 256 * KIB

/**
 * Counts the rows of projects on a server or cluster, by a query for each source. The bytes are those of the parts of
 * the table on the disks, shared out by rows: of all days alike, since a part has rows of many days.
 */
export async function readUsage(
  { source, ...wanted }: UsageQuery,
  { signal, memory }: UsageRun,
  server: Server,
  location: TableLocation,
): Promise<Usage[]> {
  const sums = createUsageSums(wanted, memory)
  for (const one of source === undefined ? allSourceNames() : [source]) {
    const table = { server, location, source: one, signal }
    const counted = await countRows(table, wanted)
    if (counted.length === 0) continue
    const bytesOfRow = await readBytesOfRow(table)
    for (const [project, day, count] of counted) {
      const rows = Number(count)
      const bytes = Math.round(rows * bytesOfRow)
      sums.add({ project: String(project) || undefined, source: one, day: Number(day), rows, bytes })
    }
    await memory.room(signal)
  }
  return sums.sorted()
}

interface ReadTable {
  server: Server
  location: TableLocation
  source: SourceName
  signal: AbortSignal
}

/** Returns the rows of each project and day as cells: project, day, rows. None if there is no table. */
async function countRows(
  { server, location, source, signal }: ReadTable,
  { fromDay, throughDay, projects }: Omit<UsageQuery, 'source'>,
): Promise<Cell[][]> {
  const time = timeCondition({ fromUs: fromDay * DAY_US, throughUs: (throughDay + 1) * DAY_US - 1 })
  const list =
    projects &&
    [...projects]
      .filter((project) => project !== '')
      .map(textValue)
      .join(', ')
  if (list === '') return []
  const isAmong = list === undefined || list.length > MOST_LIST_LENGTH ? [] : [`project IN (${list})`]
  const sql =
    `SELECT project, ${bucketNumber('timestamp', DAY_US)} AS day, count() FROM ${quotedTable(location, source)} ` +
    `WHERE ${[time, ...isAmong].join(' AND ')} GROUP BY project, day LIMIT ${MAX_USAGE_ROWS + 1}`
  return server.select(sql, { signal }).catch((error) => {
    if (lacksTable(error)) return []
    throw error
  })
}

/** Returns the bytes of the active parts of a table, of all shards, for each of its rows. */
export async function readBytesOfRow({ server, location, source, signal }: ReadTable): Promise<number> {
  const { database, cluster } = location
  const parts = cluster === undefined ? 'system.parts' : `cluster(${quoteName(cluster)}, system, parts)`
  const table = textValue(tableWithRows(location, source))
  const [[bytes, rows] = [0, 0]] = await server.select(
    `SELECT sum(bytes_on_disk), sum(rows) FROM ${parts} ` +
      `WHERE active AND database = ${textValue(database)} AND table = ${table}`,
    { signal },
  )
  return Number(rows) === 0 ? 0 : Number(bytes) / Number(rows)
}
