import { describe, expect, it } from 'vitest'
import { DAY_US } from '../../src/base/units.js'
import { GROUPING_LIMITS, type GroupingLimits } from '../../src/engine/engine.js'
import { type ImportLimits, importTable } from '../../src/import/import-table.js'
import type { LogRow, TableReader } from '../../src/import/postgres/table-reader.js'
import { noRows } from '../../src/import/report.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, openEngine } from '../support/engine.js'
import { edge } from '../support/records.js'

const NOW_US = 20_778 * DAY_US
const LIMITS: ImportLimits = { keys: 50, rows: 8, bytes: 1_000 }

const row = (i: number): LogRow => ({
  ...{ id: `r${i}`, timestampUs: NOW_US - DAY_US + i, message: `m${i}` },
  ...{ body: '{"project": "p"}', bodySource: null },
})

/** A table in memory. Notes the sizes of the queries of rows. Each body takes `bytesOf` bytes. */
function tableOf(rows: readonly LogRow[], bytesOf: (row: LogRow) => number = () => 10) {
  const queried: number[] = []
  const reader: TableReader = {
    async statistics() {
      const times = rows.map(({ timestampUs }) => timestampUs)
      const range = { fromUs: Math.min(...times), throughUs: Math.max(...times) }
      return { rows: rows.length, before: 0, after: 0, untimed: 0, range }
    },
    async keys({ fromUs, beforeUs, afterId }, limit) {
      return rows
        .filter(({ timestampUs: us, id }) => us >= fromUs && us < beforeUs && (us > fromUs || id > (afterId ?? '')))
        .sort((a, b) => a.timestampUs - b.timestampUs || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map((one) => ({ id: one.id, timestampUs: one.timestampUs, bytes: bytesOf(one), place: '' }))
    },
    async rows(keys) {
      queried.push(keys.length)
      return rows.filter(({ id }) => keys.some((key) => key.id === id))
    },
  }
  return { reader, queried }
}

/** Imports a table into an engine with some records. Returns the ids that were written, the count, and the progress. */
async function importOf(
  table: TableReader,
  records: Parameters<typeof appendAll>[1] = [],
  groupingLimits: GroupingLimits = GROUPING_LIMITS,
) {
  const clock = createFakeClock(NOW_US)
  const engine = openEngine({ clock, groupingLimits })
  await appendAll(engine, records)
  const written: string[] = []
  const count = noRows()
  const progress: number[] = []
  const totals = { taken: 3, rejected: 5, byReason: { too_old: 1, invalid_json: 4 } }
  const parts = {
    ...{ source: 'edge_logs' as const, table, engine, clock, retentionUs: 90 * DAY_US, untilUs: undefined },
    openIngest: () => ({
      write: async (chunk: Uint8Array) => {
        written.push(
          ...Buffer.from(chunk)
            .toString()
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line).id),
        )
      },
      end: async () => totals,
      close: async () => {},
    }),
    limits: LIMITS,
    onProgress: (read: number) => void progress.push(read),
  }
  await importTable(parts, count).finally(engine.close)
  return { written, count, progress }
}

const ROWS = Array.from({ length: 200 }, (_, i) => row(i))
const IDS = ROWS.map(({ id }) => id)

describe('importTable', () => {
  it('writes each row that the engine does not have, and counts the others', async () => {
    const had = ROWS.filter((_, i) => i % 7 === 0)
    const records = had.map(({ id, timestampUs }) => edge({ id, timestampUs, project: 'q' }))
    // An equal id at another time is another row.
    records.push(edge({ id: 'r1', timestampUs: NOW_US, project: 'q' }))
    const { written, count, progress } = await importOf(tableOf(ROWS).reader, records)
    expect(written.sort()).toEqual(IDS.filter((_, i) => i % 7 !== 0).sort())
    expect(count).toEqual({ ...noRows(), rows: 200, imported: 3, alreadyThere: 29, pastRetention: 1, rejected: 4 })
    expect(progress.at(-1)).toBe(200)
  })

  it('finds out which rows are there, even if the engine has more of that time than a query may hold', async () => {
    const had = ROWS.filter((_, i) => i % 3 > 0).map(({ id, timestampUs }) => edge({ id, timestampUs }))
    const others = Array.from({ length: 5_000 }, (_, i) =>
      edge({ id: `o${i}`, timestampUs: NOW_US - DAY_US + (i % 200) }),
    )
    const little = { ...GROUPING_LIMITS, bytes: 20_000 }
    const { written, count } = await importOf(tableOf(ROWS).reader, [...had, ...others], little)
    expect(written.sort()).toEqual(IDS.filter((_, i) => i % 3 === 0).sort())
    expect(count.alreadyThere).toBe(had.length)
  })

  it('reads few rows at a time, and fewer if they are large', async () => {
    const small = tableOf(ROWS)
    expect((await importOf(small.reader)).written.sort()).toEqual(IDS.toSorted())
    expect(Math.max(...small.queried)).toBe(LIMITS.rows)
    const large = tableOf(ROWS, ({ id }) => (id === 'r5' ? 5_000 : 300))
    expect((await importOf(large.reader)).written.sort()).toEqual(IDS.toSorted())
    expect(Math.max(...large.queried)).toBe(4)
  })

  it('fails with the error of the table, and leaves no other rejection behind', async () => {
    const { reader } = tableOf(ROWS)
    const failing = { ...reader, rows: () => Promise.reject(new Error('the connection was lost')) }
    await expect(importOf(failing)).rejects.toThrow('the connection was lost')
  })
})
