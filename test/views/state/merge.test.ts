import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import type { GroupStream } from '../../../src/views/state/group.js'
import { type GroupBounds, mergeGroups } from '../../../src/views/state/merge.js'
import { groupsOfFile, openStateFile } from '../../../src/views/state/read-file.js'
import { writeStateFile } from '../../../src/views/state/write-file.js'
import { createMemoryFiles } from '../../engine/store/files/memory-files.js'
import { noYield } from '../../engine/store/support.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import {
  type Answered,
  answerOf,
  DAY,
  expectedOf,
  type Grouped,
  grouped,
  groupsIn,
  PROJECTS,
  REST_KEYS,
  type Row,
  randomRows,
  rowsByKey,
} from './rows.js'

const UNBOUNDED: GroupBounds = { groups: 1e9, bytesOf: () => 1e12, bytes: 1e12, restKeys: REST_KEYS }
const DAYS = [DAY, DAY + 1]

/** Writes streams to files. */
function stateFiles() {
  const files = createMemoryFiles()
  let written = 0
  return {
    files,
    async store(stream: GroupStream, { codec }: Grouped): Promise<GroupStream> {
      const path = `views/${++written}`
      const facts = { view: 'v', day: DAY, segments: [], states: codec.names }
      await writeStateFile(files, path, facts, stream, noYield)
      return groupsOfFile(files, await openStateFile(files, path), codec.names)
    },
  }
}

/** Cuts rows into up to `most` parts, as segments do. */
function parted(random: Random, rows: readonly Row[], most: number): Row[][] {
  const parts = Array.from({ length: 1 + below(random, most) }, (): Row[] => [])
  for (const row of rows) oneOf(random, parts).push(row)
  return parts
}

/** Merges the groups of parts of a day in a random order, some together and some again, with files in between. */
async function mergedAtRandom(random: Random, parts: readonly Grouped[], day: number, bounds: GroupBounds) {
  const { files, store } = stateFiles()
  const [any] = parts as [Grouped]
  let streams = parts.flatMap(({ byDay }) => byDay.get(day) ?? [])
  do {
    const chosen = streams.splice(0, 1 + below(random, streams.length))
    const merged = mergeGroups(chosen, bounds, any.merging)
    streams.push(random() < 0.5 ? await store(merged, any) : merged)
    streams = streams.sort(() => random() - 0.5)
  } while (streams.length > 1)
  const answer = await answerOf(mergeGroups(streams, bounds, any.merging), any)
  expect(files.open.count).toBe(0)
  expect(files.contents.size === 0 || ![...files.contents.keys()].some((path) => path.includes('unfinished'))).toBe(
    true,
  )
  return answer
}

const byKeys = (answer: readonly Answered[]) => new Map(answer.map((group) => [JSON.stringify(group.keys), group]))

describe('merged groups', () => {
  it('are those of all rows, however the rows are cut, stored and merged', async () => {
    const seed = testSeed()
    console.log(`merged groups: seed ${seed}`)
    const random = mulberry32(seed)
    for (let run = 0; run < runs(100); run++) {
      const rows = randomRows(random, below(random, oneOf(random, [3, 60, 900])))
      const parts = await Promise.all(parted(random, rows, 6).map(grouped))
      for (const day of DAYS) {
        const expected = rowsByKey(rows, day)
        if (expected.size === 0) continue
        const answer = await mergedAtRandom(random, parts, day, UNBOUNDED)
        expect(answer).toHaveLength(expected.size)
        for (const { keys, values, isPartial } of answer) {
          expect(values).toEqual(expectedOf(expected.get(JSON.stringify(keys))!))
          expect(isPartial).toBe(false)
        }
      }
    }
  })

  it('come by project, newest bucket first', async () => {
    const random = mulberry32(7)
    const parts = await Promise.all(parted(random, randomRows(random, 400), 3).map(grouped))
    const answer = await mergedAtRandom(random, parts, DAY, UNBOUNDED)
    const places = answer.map(({ keys: [project, bucketUs] }) => JSON.stringify([project, bucketUs]))
    const order = [null, '', 'p', 'q', '__proto__'].flatMap((project) =>
      [16, 8, 0].map((hour) => JSON.stringify([project, DAY * DAY_US + hour * HOUR_US])),
    )
    expect([...new Set(places)]).toEqual(order)
    // No place comes again after another.
    expect(places).toEqual([...places].sort((a, b) => order.indexOf(a) - order.indexOf(b)))
  })

  it('are none without streams, and of empty streams', async () => {
    const { merging, byDay } = await grouped([])
    expect(byDay.size).toBe(0)
    expect(await groupsIn(mergeGroups([], UNBOUNDED, merging))).toEqual([])
    const empty = mergeGroups([], UNBOUNDED, merging)
    expect(await groupsIn(mergeGroups([empty, empty], UNBOUNDED, merging))).toEqual([])
  })

  it('can be read twice, and in part', async () => {
    const paths = Array.from({ length: 900 }, (_, i) => `/${i}`)
    const [one, other] = await Promise.all([1, 2].map((seed) => grouped(randomRows(mulberry32(seed), 3_000, paths))))
    const { files, store } = stateFiles()
    const stream = mergeGroups(
      [await store(one!.byDay.get(DAY)!, one!), other!.byDay.get(DAY)!],
      UNBOUNDED,
      one!.merging,
    )
    const first = await answerOf(stream, one!)
    for await (const _ of stream) {
      expect(files.open.count).toBe(1)
      break
    }
    expect(files.open.count).toBe(0)
    expect(await answerOf(stream, one!)).toEqual(first)
  })

  it('may come from very many files', async () => {
    const rows = randomRows(mulberry32(21), 2_000)
    const { files, store } = stateFiles()
    const parts = Array.from({ length: 200 }, (_, part) => rows.filter((_, i) => i % 200 === part))
    const all = await Promise.all(parts.map(grouped))
    const streams: GroupStream[] = []
    for (const one of all) if (one.byDay.has(DAY)) streams.push(await store(one.byDay.get(DAY)!, one))
    const answer = await answerOf(mergeGroups(streams, UNBOUNDED, all[0]!.merging), all[0]!)
    expect(new Map(answer.map(({ keys, values }) => [JSON.stringify(keys), values]))).toEqual(
      new Map([...rowsByKey(rows, DAY)].map(([key, of]) => [key, expectedOf(of)])),
    )
    expect(files.open.count).toBe(0)
  })

  it('stop where the work is stopped', async () => {
    const one = await grouped(randomRows(mulberry32(3), 200))
    const { files, store } = stateFiles()
    const stored = await store(one.byDay.get(DAY)!, one)
    const stopped = () => Promise.reject(new Error('stopped'))
    const stream = mergeGroups([stored, stored], UNBOUNDED, { ...one.merging, yieldIfDue: stopped })
    await expect(groupsIn(stream)).rejects.toThrow('stopped')
    expect(files.open.count).toBe(0)
  })
})

/** Many paths for two projects, few for the others. */
function crowdedRows(random: Random, rows: number): Row[] {
  const paths = Array.from({ length: 40 }, (_, i) => `/${i}/${'x'.repeat(i % 4)}`)
  const crowded = randomRows(random, rows, [...paths, '…', null])
  return crowded.map((row) => (row.project === 'p' || row.project === null ? row : { ...row, path: '/', code: 200 }))
}

/** Expects the groups of rows, of which `most` of a bucket of a project keep their keys. */
function expectBounded(answer: readonly Answered[], rows: readonly Row[], day: number, most: number) {
  const expected = rowsByKey(rows, day)
  const isRest = (key: string) => JSON.stringify(JSON.parse(key).slice(2)) === '["…",null]'
  const answered = byKeys(answer)
  expect(answered.size).toBe(answer.length)
  const buckets = new Map<string, { keys: string[]; rows: Row[] }>()
  for (const [key, of] of expected) {
    const bucket = JSON.stringify(JSON.parse(key).slice(0, 2))
    const known = buckets.get(bucket) ?? { keys: [], rows: [] }
    buckets.set(bucket, { keys: [...known.keys, key], rows: [...known.rows, ...of] })
  }
  let groups = 0
  for (const [bucket, { keys, rows }] of buckets) {
    const others = keys.filter((key) => !isRest(key))
    const kept = others.filter((key) => answered.has(key))
    expect(kept.length).toBe(Math.min(most, others.length))
    // A group that keeps its key counts all of its rows.
    for (const key of kept) expect(answered.get(key)!.values).toEqual(expectedOf(expected.get(key)!))
    const keptRows = new Set(kept.flatMap((key) => expected.get(key)!))
    const restRows = rows.filter((row) => !keptRows.has(row))
    const rest = answered.get(`${bucket.slice(0, -1)},"…",null]`)
    expect(rest?.values).toEqual(restRows.length === 0 ? undefined : expectedOf(restRows))
    expect(rest?.isPartial ?? false).toBe(others.length > most)
    groups += kept.length + (rest === undefined ? 0 : 1)
  }
  expect(answer.length).toBe(groups)
}

describe('groups beyond the bounds', () => {
  it('are the rest of their bucket, the same however the rows are cut, stored and merged', async () => {
    const seed = testSeed()
    console.log(`groups beyond the bounds: seed ${seed}`)
    const random = mulberry32(seed)
    for (let run = 0; run < runs(100); run++) {
      const rows = crowdedRows(random, below(random, oneOf(random, [30, 300])))
      const most = oneOf(random, [0, 1, 5, 20])
      const bounds = { ...UNBOUNDED, groups: most }
      const parts = await Promise.all(parted(random, rows, 5).map(grouped))
      for (const day of DAYS) {
        if (rowsByKey(rows, day).size === 0) continue
        const answers = [
          await mergedAtRandom(random, parts, day, bounds),
          await mergedAtRandom(random, parts, day, bounds),
        ]
        expectBounded(answers[0]!, rows, day, most)
        expect(answers[1]).toEqual(answers[0])
      }
    }
  })

  it('leave other projects complete', async () => {
    const random = mulberry32(11)
    const flood = Array.from({ length: 5_000 }, (_, i) => ({
      ...{ project: 'p', bucketUs: DAY * DAY_US, path: `/${i}/${random()}`, code: null },
      value: 'no number',
    }))
    const others = randomRows(random, 300).filter(({ project }) => project !== 'p')
    const parts = await Promise.all(parted(random, [...flood, ...others], 3).map(grouped))
    const answer = await mergedAtRandom(random, parts, DAY, { ...UNBOUNDED, groups: 300 })
    const answered = byKeys(answer)
    for (const [key, rows] of rowsByKey(others, DAY)) {
      expect(answered.get(key)!.values).toEqual(expectedOf(rows))
      expect(answered.get(key)!.isPartial).toBe(false)
    }
    const ofFlood = answer.filter(({ keys }) => keys[0] === 'p')
    expect(ofFlood).toHaveLength(301)
    expect(
      ofFlood.filter(({ isPartial }) => isPartial).map(({ keys, values }) => [...keys.slice(2), values[0]]),
    ).toEqual([['…', null, 4_700]])
  })

  it('have exact sums, and quantiles within half a point of rank', async () => {
    const random = mulberry32(testSeed())
    const bucket = { project: 'p', bucketUs: DAY * DAY_US, code: null }
    const rows = Array.from(
      { length: 9_000 },
      (_, i): Row => ({ ...bucket, path: `/${i % 3_000}`, value: below(random, 1e6) / 4 }),
    )
    const parts = await Promise.all(parted(random, rows, 4).map(grouped))
    const [rest] = await mergedAtRandom(random, parts, DAY, { ...UNBOUNDED, groups: 0 })
    const sorted = rows.map(({ value }) => value as number).sort((a, b) => a - b)
    const [count, , sum, , least, most, quarters, different] = rest!.values
    const total = sorted.reduce((sum, value) => sum + value, 0)
    expect([count, sum, least, most]).toEqual([rows.length, total, sorted[0], sorted.at(-1)])
    expect(Math.abs((different as number) / new Set(sorted).size - 1)).toBeLessThan(0.03)
    for (const [i, value] of (quarters as number[]).entries()) {
      const rank = sorted.indexOf(value) + 1
      expect(rank).toBeGreaterThan(0)
      expect(Math.abs(rank / rows.length - i / 4)).toBeLessThan(0.005)
    }
  })

  it('are those of the oldest buckets where bytes are the bound, and no row is lost', async () => {
    const random = mulberry32(5)
    const rows = crowdedRows(random, 600)
    const parts = await Promise.all(parted(random, rows, 3).map(grouped))
    const answer = await mergedAtRandom(random, parts, DAY, { ...UNBOUNDED, bytesOf: () => 2_000 })
    const sum = (of: readonly Answered[]) => of.reduce((sum, { values }) => sum + Number(values[0]), 0)
    for (const project of PROJECTS) {
      const found = answer.filter(({ keys }) => keys[0] === project)
      const all = [...rowsByKey(rows, DAY).values()].flat().filter((row) => row.project === project)
      expect(sum(found)).toBe(all.length)
      const partial = found.filter(({ isPartial }) => isPartial).map(({ keys }) => keys[1])
      expect(partial.length > 0).toBe(project === 'p' || project === null)
      // In a bucket behind a partial one no group keeps its key.
      const oldest = Math.min(...partial)
      const behind = found.filter(({ keys }) => keys[1] < Math.max(...partial) && keys[2] !== '…')
      expect(behind.map(({ keys }) => keys[1])).toEqual([])
      expect(partial.length === 0 || oldest === DAY * DAY_US).toBe(true)
    }
  })
})
