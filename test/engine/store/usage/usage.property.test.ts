import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { UNLIMITED_SHARE } from '../../../../src/base/memory/memory-budget.js'
import { DAY_US, HOUR_US } from '../../../../src/base/units.js'
import type { Usage, UsageQuery } from '../../../../src/common/usage.js'
import { openDataDirectory } from '../../../../src/engine/disk/directory/open.js'
import type { Engine } from '../../../../src/engine/engine.js'
import { type UsageAsked, usageOracle } from '../../../oracle/usage.js'
import { createFakeClock } from '../../../support/clock.js'
import { appendAll, openEngine } from '../../../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../../../support/random.js'
import type { TestRecord } from '../../../support/records.js'
import { costlyRuns } from '../../../support/runs.js'
import { testSeed } from '../../../support/seed.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-usage-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const WORLDS = costlyRuns(100)
const NOW_US = 20_778 * DAY_US + HOUR_US
const SOURCES = ['edge_logs', 'postgres_logs', 'auth_logs'] as const
const PROJECTS = ['a', 'b', 'B', '__proto__', 'é', '😀', 'a.b', '', null]

const recordsOf = (random: Random, count: number): TestRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    source: oneOf(random, SOURCES),
    id: `${i}`,
    timestampUs: NOW_US - below(random, oneOf(random, [HOUR_US, 2 * DAY_US, 9 * DAY_US])),
    project: oneOf(random, PROJECTS),
    event_message: 'm'.repeat(below(random, 50)),
    metadata: '{}',
  }))

const usageOf = (engine: Engine, query: Partial<UsageQuery> = {}): Promise<Usage[]> =>
  engine.usage(
    { fromDay: Number.NEGATIVE_INFINITY, throughDay: Number.POSITIVE_INFINITY, ...query },
    { signal: new AbortController().signal, memory: UNLIMITED_SHARE },
  )

const dayName = (day: number) => new Date((day * DAY_US) / 1_000).toISOString().slice(0, 10)

const counted = (usage: readonly Usage[]) =>
  usage.map(({ project = null, source, day, rows }) => ({ project, source, day: dayName(day), rows }))

const bytesOf = (usage: readonly Usage[]) => usage.reduce((sum, { bytes }) => sum + bytes, 0)

function bytesBelow(directory: string): number {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const sizes = names.map((name) => statSync(join(directory, name))).filter((file) => file.isFile())
  return sizes.reduce((sum, { size }) => sum + size, 0)
}

/** A query, and the same for the oracle. */
function randomQuery(random: Random): [Partial<UsageQuery>, UsageAsked] {
  const source = random() < 0.5 ? oneOf(random, SOURCES) : undefined
  const projects =
    random() < 0.5 ? [oneOf(random, ['a', 'b', 'none']), oneOf(random, ['é', '__proto__', ''])] : undefined
  const [fromDay, throughDay] = [20_778 - below(random, 10), 20_778 - below(random, 10)]
  const hasDays = random() < 0.5
  return [
    { source, projects: projects && new Set(projects), ...(hasDays && { fromDay, throughDay }) },
    {
      ...(source && { source }),
      ...(projects && { projects }),
      ...(hasDays && { firstDay: dayName(fromDay), lastDay: dayName(throughDay) }),
    },
  ]
}

it('usage equals a count over all rows, and its bytes are those of the files', async () => {
  const seed = testSeed()
  console.log(`usage seed ${seed}`)
  for (let world = 0; world < WORLDS; world++) {
    const random = mulberry32(seed + world)
    const directory = join(root, `${world}`)
    mkdirSync(directory)
    const open = async () => {
      const disk = random() < 0.3 ? undefined : await openDataDirectory(directory)
      return { disk, engine: openEngine({ disk, clock: createFakeClock(NOW_US), sealRows: 30 + below(random, 200) }) }
    }
    let { disk, engine } = await open()
    await engine.recover()
    const records = recordsOf(random, 1 + below(random, 600))
    await appendAll(engine, records, 1 + below(random, 50))
    if (random() < 0.5) await engine.seal()
    if (disk !== undefined && random() < 0.5) {
      await engine.close()
      disk = await openDataDirectory(directory)
      engine = openEngine({ disk, clock: createFakeClock(NOW_US) })
      await engine.recover()
    }
    // A second count has the indexes in memory.
    for (let i = 0; i < 2; i++) expect([world, counted(await usageOf(engine))]).toEqual([world, usageOracle(records)])
    for (let i = 0; i < 5; i++) {
      const [query, asked] = randomQuery(random)
      expect([world, counted(await usageOf(engine, query))]).toEqual([world, usageOracle(records, asked)])
    }
    await engine.seal()
    const usage = await usageOf(engine)
    expect(counted(usage)).toEqual(usageOracle(records))
    if (disk !== undefined) expect(bytesOf(usage)).toBe(bytesBelow(join(directory, 'segments')))
    expect(usage.every(({ bytes }) => Number.isInteger(bytes) && bytes > 0)).toBe(true)
    await engine.close()
  }
})
