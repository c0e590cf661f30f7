import { expect } from 'vitest'
import type { SourceName } from '../../../../src/common/sources.js'
import { count, Rows, scan } from '../../../../src/plan/builder.js'
import { below, mulberry32, oneOf } from '../../../support/random.js'
import { type DamagedFile, type DamageKind, damageOne } from './damages.js'
import { filesOf, makeSample, NOW_US, openOver, rowsIn, SOURCES } from './sample.js'

/** Damages a data directory at random, and reads the rest. */

const HEADER_BYTES = 64
export const sample = await makeSample()
const ROW_FILES = [...sample.contents.keys()].filter((path) => /^(journal|segments)\//.test(path))

/** The ids that must be in the answer, and groups of ids. The answer has a whole group or no id of the group. */
function expected(state: ReadonlyMap<string, DamagedFile>) {
  const certain = new Set<string>()
  const groups: string[][] = []
  for (const [path, { source }] of sample.journals) {
    const { origin, bytes } = state.get(path)!
    const of = sample.journals.get(origin)
    if (bytes === undefined || of === undefined) continue
    const before = sample.contents.get(origin)!
    const isSame = (from: number, to: number) => before.subarray(from, to).equals(bytes.subarray(from, to))
    const frames = of.frames.filter(({ start, payloadEnd, end }) => end <= bytes.length && isSame(start, payloadEnd))
    const hasHeader = isSame(0, HEADER_BYTES) || isSame(4096, 4096 + HEADER_BYTES)
    if (of.source !== source && (hasHeader || frames.length > 0)) continue
    for (const { ids } of frames) for (const id of ids) certain.add(id)
  }
  for (const [directory, { ids }] of sample.segments) {
    const isWhole = ['hot', 'cold'].every((name) => {
      const path = `${directory}/${name}.arrow`
      const { origin, bytes } = state.get(path)!
      return origin === path && bytes?.equals(sample.contents.get(path)!)
    })
    if (isWhole) for (const id of ids) certain.add(id)
    else groups.push([...ids])
  }
  return { certain, groups }
}

/** Expects each row to be a stored row, once and unaltered. Returns the ids of the rows. */
export function idsOf(rows: Awaited<ReturnType<typeof rowsIn>>, source: string): Set<string> {
  const ids = new Set<string>()
  for (const { id, event_message, project, metadata } of rows) {
    const record = sample.records.get(String(id))!
    expect(record.source).toBe(source)
    expect({ event_message, project, metadata }).toEqual({
      event_message: record.event_message,
      project: record.project,
      metadata: { json: record.metadata },
    })
    expect(ids.has(record.id), `${record.id} twice`).toBe(false)
    ids.add(record.id)
  }
  return ids
}

async function damageAndRead(seed: number, kinds: readonly DamageKind[]): Promise<void> {
  const random = mulberry32(seed)
  const files = filesOf(sample)
  const state = new Map(
    [...sample.contents].map(([path, bytes]): [string, DamagedFile] => [path, { origin: path, bytes }]),
  )
  const done: string[] = []
  const paths = random() < 0.7 ? ROW_FILES : [...sample.contents.keys()]
  for (let i = 1 + below(random, 5); i > 0; i--) done.push(damageOne(files, state, oneOf(random, kinds), paths, random))
  const unreadable = [...state]
    .filter(([path, { bytes }]) => bytes === undefined && files.has(path))
    .map(([path]) => path)

  const { engine, metrics, logged } = openOver(files)
  await engine.recover()
  const { certain, groups } = expected(state)
  const found = new Set<string>()
  for (const source of SOURCES) {
    // The first answer may begin before damage is found in the last rows. It has no altered row either.
    idsOf(await rowsIn(engine, source), source)
    const rows = await rowsIn(engine, source)
    for (const id of idsOf(rows, source)) found.add(id)
    const counted = await engine.run(Rows.planOf(countOf(source)))
    for await (const { n } of counted) expect(n).toBe(rows.length)
  }
  for (const id of certain) expect(found.has(id), `${done}: ${id} is missing`).toBe(true)
  for (const ids of groups) {
    const present = ids.filter((id) => found.has(id)).length
    expect([0, ids.length], `${done}: ${present} of ${ids.length}`).toContain(present)
  }
  await expectReported(state, found, { metrics, logged }, done)
  await engine.close()
  for (const path of unreadable)
    expect(files.has(path) || files.has(`${path}.damaged`), `${path} was deleted`).toBe(true)
}

const countOf = (source: SourceName) => scan(source, { fromUs: 0, throughUs: NOW_US }).group().aggregate({ n: count() })

/** Expects the rows that are missing to be counted, and their files to be named. */
async function expectReported(
  state: ReadonlyMap<string, DamagedFile>,
  found: ReadonlySet<string>,
  { metrics, logged }: Pick<ReturnType<typeof openOver>, 'metrics' | 'logged'>,
  done: readonly string[],
): Promise<void> {
  const text = logged.map(({ message }) => message).join('\n')
  for (const [directory, { ids }] of sample.segments) {
    if (ids.some((id) => !found.has(id))) expect(text, `${done}`).toContain(directory)
  }
  for (const [path, { frames }] of sample.journals) {
    const isLost = frames.some(({ ids }) => ids.some((id) => !found.has(id)))
    // The end of a file that was cut between two frames, or deleted, cannot be told.
    const isCut = done.some((one) => one.startsWith('cut') || one.startsWith('delete'))
    // Swaps one after the other may leave another journal at the path, and the content in a file that is named.
    const places = [path, ...[...state].filter(([, { origin }]) => origin === path).map(([place]) => place)]
    const named = places.filter((place) => text.includes(place.replace(/\/(hot|cold)\.arrow$/, '')))
    if (isLost && !isCut) expect(named, `${done}: ${places} in ${text}`).not.toEqual([])
  }
  const damaged = await Promise.all(
    [metrics.damagedBytes, metrics.damagedSegments, metrics.unreadableJournals].map(async (counter) => {
      const { values } = await counter.get()
      return values.reduce((sum, { value }) => sum + value, 0)
    }),
  )
  const isDamaged = logged.some(({ code }) => code === 'journal_damaged' || code === 'segment_damaged')
  expect(
    damaged.some((value) => value > 0),
    `${done}`,
  ).toBe(isDamaged)
}

/**
 * Damages some files, `times` times. Expects the rows of the other files, none altered, and a report of the rest. Seeds
 * count from `first`.
 */
export async function expectRowsOfOthers(times: number, first: number, kinds: readonly DamageKind[]): Promise<void> {
  for (let seed = first; seed < first + times; seed++) {
    await damageAndRead(seed, kinds).catch((error: Error) => {
      error.message = `seed ${seed}: ${error.message}`
      throw error
    })
  }
}
