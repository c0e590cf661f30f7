import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { DAY_US, GIB } from '../../../src/base/units.js'
import type { SourceName } from '../../../src/common/sources.js'
import { openDataDirectory } from '../../../src/engine/disk/directory/open.js'
import { openToRead } from '../../../src/engine/disk/directory/open-to-read.js'
import type { Engine } from '../../../src/engine/engine.js'
import { createReadingEngine } from '../../../src/engine/store/engine.js'
import type { RowsToRead } from '../../../src/engine/store/files/inventory.js'
import { createNoSealer } from '../../../src/engine/store/sealing/no-sealer.js'
import { count, max, scan } from '../../../src/plan/builder.js'
import type { Plan, TimeRange } from '../../../src/plan/plan.js'
import { createFakeClock } from '../../support/clock.js'
import { copyDirectory, directoryState } from '../../support/directory-state.js'
import { appendAll, openEngine, readAll } from '../../support/engine.js'
import { database, edge, type TestRecord } from '../../support/records.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-reading-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const ALWAYS: TimeRange = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }
const NOW_US = 20_778 * DAY_US
const DAYS = 3

/** Rows of two sources over three days, in order of time. */
const RECORDS: readonly TestRecord[] = (['edge_logs', 'postgres_logs'] as const).flatMap((source) =>
  Array.from({ length: 90 }, (_, i) =>
    (source === 'edge_logs' ? edge : database)({
      id: `${source} ${i}`,
      timestampUs: NOW_US - DAYS * DAY_US + i * (DAY_US / 30),
      project: i % 2 === 0 ? 'a' : 'b',
      event_message: `message ${i}`,
      metadata: { request: { method: i % 3 === 0 ? 'GET' : 'POST' }, parsed: { user_name: `user ${i % 4}` } },
    }),
  ),
)

/** Writes the first 30 records of each source to segments, 40 to journals of heads of 20 rows, 20 to open heads. */
async function fill(): Promise<{ live: string; copy: string }> {
  const [live, copy] = [join(root, 'live'), join(root, 'copy')]
  mkdirSync(live)
  const parts = [(i: number) => i < 30, (i: number) => i >= 30 && i < 70, (i: number) => i >= 70]
  for (const [life, isPart] of parts.entries()) {
    const disk = await openDataDirectory(live)
    const clock = createFakeClock(NOW_US)
    const engine = openEngine({ disk, clock, sealRows: 20, ...(life === 0 ? {} : { sealer: createNoSealer() }) })
    await engine.recover()
    await appendAll(
      engine,
      RECORDS.filter(({ id }) => isPart(Number(id.split(' ')[1]))),
      5,
    )
    if (life === 0) await engine.seal()
    if (life === 2) copyDirectory(live, copy)
    await engine.close()
  }
  return { live, copy }
}

/** Opens a directory to read some rows. */
async function open(directory: string, toRead: RowsToRead, logged: string[] = []): Promise<Engine> {
  const metrics = createMetrics()
  const log = (message: string) => void logged.push(message)
  const disk = await openToRead(directory)
  const engine = createReadingEngine(disk, toRead, {
    clock: createFakeClock(NOW_US),
    metrics,
    log,
    rowsLimitBytes: GIB,
  })
  await engine.recover()
  return engine
}

const all = (sources: readonly SourceName[] = ['edge_logs', 'postgres_logs']): RowsToRead =>
  new Map(sources.map((source) => [source, ALWAYS]))

const rowsOf = (source: SourceName): Plan =>
  scan(source, ALWAYS)
    .select('id', 'timestamp', 'project', 'event_message', 'metadata')
    .orderBy('timestamp')
    .limit(1000)

const byMethod: Plan = scan('edge_logs', ALWAYS)
  .group('request.method')
  .aggregate({ rows: count(), latest: max('timestamp') })
  .orderBy('rows')
  .limit(10)

const idsOf = (rows: readonly { id?: unknown }[]) => rows.map(({ id }) => id)

describe('an engine that only reads', () => {
  it('answers from segments, journals of full heads and open journals, and changes nothing', async () => {
    const { live, copy } = await fill()
    expect(readdirSync(join(copy, 'journal')).length).toBeGreaterThan(4)
    for (const directory of [live, copy]) {
      const before = directoryState(directory)
      const logged: string[] = []
      const engine = await open(directory, all(), logged)
      for (const source of ['edge_logs', 'postgres_logs'] as const) {
        const rows = await readAll(await engine.run(rowsOf(source)))
        expect(idsOf(rows)).toEqual(RECORDS.filter((record) => record.source === source).map(({ id }) => id))
        expect(rows[89]).toMatchObject({ project: 'b', event_message: 'message 89' })
      }
      expect(await readAll(await engine.run(byMethod))).toEqual([
        { method: 'GET', rows: 30, latest: RECORDS[87]!.timestampUs },
        { method: 'POST', rows: 60, latest: RECORDS[89]!.timestampUs },
      ])
      await engine.close()
      expect(directoryState(directory)).toEqual(before)
      expect(logged).toEqual([])
    }
  })

  it('does not change anything while time passes: no retention, no compaction, no sync', async () => {
    const { copy } = await fill()
    const before = directoryState(copy)
    const clock = createFakeClock(NOW_US + 1000 * DAY_US)
    const parts = { clock, metrics: createMetrics(), rowsLimitBytes: 1 }
    const engine = createReadingEngine(await openToRead(copy), all(), parts)
    await engine.recover()
    clock.advance(120_000)
    expect(await readAll(await engine.run(rowsOf('edge_logs')))).toHaveLength(90)
    await engine.close()
    expect(directoryState(copy)).toEqual(before)
  })

  it('loads only the named sources, and segments only of the days in their range', async () => {
    const { copy } = await fill()
    const some = await open(copy, all(['postgres_logs']))
    expect(some.stats().flatMap(({ source, rows }) => (rows > 0 ? [[source, rows]] : []))).toEqual([
      ['postgres_logs', 90],
    ])
    await some.close()
    const none = await open(copy, new Map())
    expect(none.stats().every(({ rows }) => rows === 0)).toBe(true)
    await none.close()
    // Segments have the 30 rows of the first day. Journals are read whole.
    const firstDayUs = NOW_US - DAYS * DAY_US
    for (const [range, rows] of [
      [{ fromUs: firstDayUs + DAY_US, throughUs: NOW_US }, 60],
      [{ fromUs: firstDayUs + DAY_US - 1, throughUs: NOW_US }, 90],
      [{ fromUs: 0, throughUs: firstDayUs - 1 }, 60],
      [{ fromUs: 0, throughUs: firstDayUs }, 90],
    ] as const) {
      const engine = await open(copy, new Map([['edge_logs', range]]))
      expect(engine.stats().find(({ source }) => source === 'edge_logs')!.rows).toBe(rows)
      await engine.close()
    }
  })

  it('ignores leftovers of unfinished work, and reports damage', async () => {
    const { copy } = await fill()
    const day = join(copy, 'segments/edge_logs', readdirSync(join(copy, 'segments/edge_logs'))[0]!)
    const [segment] = readdirSync(day)
    copyDirectory(join(day, segment!), join(day, '00000099-0.unfinished'))
    copyDirectory(join(day, segment!), join(day, '00000098-0.gone'))
    // A segment is unfinished too while the journal of the head exists.
    const [journal] = readdirSync(join(copy, 'journal')).filter((name) => name.startsWith('edge_logs'))
    copyDirectory(join(day, segment!), join(day, `${/\d+/.exec(journal!)![0]}-0`))
    const logged: string[] = []
    const whole = await open(copy, all(['edge_logs']), logged)
    expect(await readAll(await whole.run(rowsOf('edge_logs')))).toHaveLength(90)
    await whole.close()
    expect(logged.splice(0)).toEqual([expect.stringMatching(/0 is a copy of segments.*: its rows are shown once/)])

    truncateSync(join(day, segment!, 'hot.arrow'), 100)
    const bytes = readFileSync(join(copy, 'journal', journal!))
    bytes[4_200]! ^= 1
    writeFileSync(join(copy, 'journal', journal!), bytes)
    const before = directoryState(copy)
    const damaged = await open(copy, all(['edge_logs']), logged)
    expect(logged.filter((message) => !message.includes('is a copy of'))).toEqual([
      expect.stringContaining(`${segment} cannot be read, and its rows are not shown`),
      expect.stringContaining(`${journal} is damaged`),
    ])
    await damaged.close()
    expect(directoryState(copy)).toEqual(before)
  })

  it('appends nothing', async () => {
    const { copy } = await fill()
    const engine = await open(copy, all())
    await expect(appendAll(engine, [edge()])).rejects.toThrow(TypeError)
    await engine.close()
  })
})
