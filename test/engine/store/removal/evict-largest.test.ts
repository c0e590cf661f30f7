import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UNLIMITED_SHARE } from '../../../../src/base/memory/memory-budget.js'
import { createMetrics } from '../../../../src/base/metrics.js'
import { DAY_US, MINUTE_US } from '../../../../src/base/units.js'
import { openDataDirectory } from '../../../../src/engine/disk/directory/open.js'
import type { ArrowEngine, createArrowEngine } from '../../../../src/engine/store/engine.js'
import { scan } from '../../../../src/plan/builder.js'
import { createFakeClock } from '../../../support/clock.js'
import { appendAll, openEngine, readAll } from '../../../support/engine.js'
import { eventually } from '../../../support/eventually.js'
import { below, mulberry32 } from '../../../support/random.js'
import { edge, type TestRecord } from '../../../support/records.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'logweir-evict-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const NOW_US = 20_778 * DAY_US
const LIMIT_BYTES = 600_000
const random = mulberry32(1)

/** Rows that hardly compress, a minute apart, the last of them `lastUs`. */
const rowsOf = (project: string | null, count: number, lastUs: number): TestRecord[] =>
  Array.from({ length: count }, (_, i) =>
    edge({
      id: `${project} ${i}`,
      project,
      timestampUs: lastUs - (count - 1 - i) * MINUTE_US,
      event_message: Array.from({ length: 100 }, () => below(random, 36).toString(36)).join(''),
    }),
  )

async function open(parts: Partial<Parameters<typeof createArrowEngine>[0]> = {}) {
  const [metrics, clock] = [createMetrics(), createFakeClock(NOW_US)]
  const disk = await openDataDirectory(directory)
  const engine = openEngine({ disk, clock, metrics, sealRows: 400, diskLimitBytes: LIMIT_BYTES, ...parts })
  await engine.recover()
  return { engine, metrics, clock }
}

async function bytesOf(engine: ArrowEngine): Promise<Record<string, number>> {
  const query = { fromDay: -Infinity, throughDay: Infinity }
  const usage = await engine.usage(query, { signal: new AbortController().signal, memory: UNLIMITED_SHARE })
  const bytes: Record<string, number> = {}
  for (const { project, bytes: more } of usage) bytes[`${project}`] = (bytes[`${project}`] ?? 0) + more
  return bytes
}

/** The numbers of the rows of a project that are left, in order of time. */
async function left(engine: ArrowEngine, project: string): Promise<number[]> {
  const plan = scan('edge_logs', { fromUs: -Infinity, throughUs: Infinity }).select('id', 'timestamp')
  const rows = await readAll(await engine.run(plan.orderBy('timestamp', 'asc').limit(100_000)))
  const ids = rows.map(({ id }) => String(id)).filter((id) => id.startsWith(`${project} `))
  return ids.map((id) => Number(id.split(' ')[1]))
}

const total = (bytes: Record<string, number>) => Object.values(bytes).reduce((a, b) => a + b, 0)
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

/** Old rows of a project and of none, then a flood of another project in the same segments and later ones. */
const RECORDS = [
  ...rowsOf('small', 200, NOW_US - 2 * DAY_US - MINUTE_US),
  ...rowsOf(null, 100, NOW_US - 2 * DAY_US - MINUTE_US),
  ...rowsOf('flood', 8_000, NOW_US),
]

describe('the eviction of the largest project', () => {
  it('removes its oldest rows, also of segments with rows of others, and no row of others', async () => {
    const { engine, metrics } = await open({ evictsLargest: true })
    for (let i = 0; i < RECORDS.length; i += 100) {
      await appendAll(engine, RECORDS.slice(i, i + 100))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await engine.seal()
    await eventually(async () => {
      engine.enforceLimits()
      expect(total(await bytesOf(engine))).toBeLessThanOrEqual((LIMIT_BYTES * 15) / 16)
    })
    expect(await left(engine, 'small')).toEqual(numbers(0, 200))
    expect(await left(engine, 'null')).toEqual(numbers(0, 100))
    const flood = await left(engine, 'flood')
    expect(flood.length).toBeGreaterThan(1_000)
    expect(flood).toEqual(numbers(8_000 - flood.length, 8_000))
    const { values } = await metrics.evictedRows.get()
    expect(values).toEqual([
      expect.objectContaining({ labels: { source: 'edge_logs', limit: 'disk' }, value: 8_000 - flood.length }),
    ])
    await engine.close()
    // The rows are gone for good.
    const again = await open({ evictsLargest: true })
    expect((await left(again.engine, 'flood')).length).toBe(flood.length)
    await again.engine.close()
  })

  it('removes rows without a project if they take the most', async () => {
    const { engine } = await open({ evictsLargest: true })
    await appendAll(engine, rowsOf('small', 200, NOW_US - 2 * DAY_US), 100)
    for (let i = 0; i < 40; i++) {
      await appendAll(engine, rowsOf(null, 200, NOW_US - (39 - i) * 200 * MINUTE_US), 200)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await engine.seal()
    await eventually(async () => {
      engine.enforceLimits()
      expect(total(await bytesOf(engine))).toBeLessThanOrEqual((LIMIT_BYTES * 15) / 16)
    })
    expect(await left(engine, 'small')).toEqual(numbers(0, 200))
    await engine.close()
  })

  it('is not the default: the oldest rows of all are dropped', async () => {
    const { engine } = await open()
    await appendAll(engine, RECORDS, 100)
    await engine.seal()
    engine.enforceLimits()
    expect(await left(engine, 'small')).toEqual([])
    expect((await left(engine, 'flood')).length).toBeGreaterThan(1_000)
    await engine.close()
  })

  it('gives way to the oldest rows of all if the keeper keeps every segment for now', async () => {
    const keeper = { mayDrop: () => false, onRoom() {}, bytes: () => 0 }
    const { engine } = await open({ evictsLargest: true, keeper })
    await appendAll(engine, RECORDS, 100)
    await engine.seal()
    engine.enforceLimits()
    expect((await left(engine, 'flood')).length).toBe(8_000)
    await engine.close()
  })
})
