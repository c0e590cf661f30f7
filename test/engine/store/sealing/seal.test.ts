import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeAt } from '../../../../src/engine/execute/columns/batch.js'
import { createInterner } from '../../../../src/engine/execute/columns/dictionary.js'
import { none, sizeOf } from '../../../../src/engine/execute/columns/selection.js'
import { seal } from '../../../../src/engine/store/sealing/seal.js'
import type { Segment } from '../../../../src/engine/store/segment/segment.js'
import { edge, invocation, numberAt, type TestRecord, textAt } from '../../../support/records.js'
import { internIn } from '../../../support/sealer.js'
import { bufferBytes, headOf, hotValue, idsOf, noYield, sealedBatch, sealedSegments, textsOf } from '../support.js'

const DAY_US = 86_400_000_000
const dayOf = ({ timestampUs }: TestRecord) => Math.floor(timestampUs / DAY_US)
const bytesOf = (project: string | null) => (project === null ? Buffer.alloc(0) : Buffer.from(`>${project}`))

/** The order of a sealed segment: absent project first, projects by their bytes, time, arrival. */
const sorted = (records: readonly TestRecord[]) =>
  records.toSorted((a, b) => Buffer.compare(bytesOf(a.project), bytesOf(b.project)) || a.timestampUs - b.timestampUs)

const PROJECTS = ['a', 'b', 'aa', '', 'é', '\u{1f600}', '\uffee', 'a\nb', '__proto__', null]
const arbitraryRecords = fc
  .array(
    fc.record({
      day: fc.integer({ min: -2, max: 2 }),
      timeUs: fc.constantFrom(0, 1, 2, 1000, 3_600_000_000, DAY_US - 1),
      project: fc.constantFrom(...PROJECTS),
      function_id: fc.constantFrom('f', 'g', '', undefined),
      time: fc.constantFrom(0, 7, 70_000, 0.1, undefined),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((rows) =>
    rows.map(({ day, timeUs, project, function_id, time }, i) =>
      invocation({
        id: `${i}`,
        timestampUs: day * DAY_US + timeUs,
        project,
        metadata: { function_id, execution_time_ms: time },
      }),
    ),
  )

function expectHolds(segment: Segment, expected: readonly TestRecord[]) {
  const times = expected.map(({ timestampUs }) => timestampUs)
  expect(idsOf(segment)).toEqual(expected.map(({ id }) => id))
  expect(times.map((_, row) => timeAt(segment.times, row))).toEqual(times)
  expect([segment.rows, segment.minUs, segment.maxUs]).toEqual([times.length, Math.min(...times), Math.max(...times)])
  expected.forEach(({ metadata }, row) => {
    expect(hotValue(segment, 'function_id', row)).toBe(textAt(metadata, ['function_id']))
    expect(hotValue(segment, 'execution_time_ms', row)).toBe(numberAt(metadata, ['execution_time_ms']))
  })
}

describe('sealing', () => {
  it('makes a segment of each day, oldest first, sorted by project, time and arrival', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryRecords, async (records) => {
        const segments = await sealedSegments(records)
        const days = [...new Set(records.map(dayOf))].sort((a, b) => a - b)
        expect(segments.map(({ day, source }) => [day, source])).toEqual(days.map((day) => [day, 'function_edge_logs']))
        segments.forEach((segment, i) => {
          expectHolds(segment, sorted(records.filter((record) => dayOf(record) === days[i])))
        })
      }),
    )
  })

  it('numbers the rows of each project, in order of time; of the absent one none', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryRecords, async (records) => {
        for (const segment of await sealedSegments(records)) {
          const ofDay = sorted(records.filter((record) => dayOf(record) === segment.day))
          for (const project of [...PROJECTS, 'c', 'a\n', '\xff'].filter((name) => name !== null)) {
            const rows = segment.projectRows(project)
            const expected = ofDay.filter((record) => record.project === project)
            expect(idsOf(segment, rows)).toEqual(expected.map(({ id }) => id))
            if (expected.length === 0) expect(rows).toBe(none)
            else expect([rows.kind, rows.timeOrdered]).toEqual(['range', true])
          }
        }
      }),
    )
  })

  it('keeps only the texts of its day, with codes in order of first appearance', async () => {
    const records = ['z', 'y', 'z', 'x'].map((url, i) =>
      edge({ timestampUs: i === 3 ? DAY_US : 10 - i, metadata: { request: { url } } }),
    )
    const texts = (await sealedSegments(records)).map(({ columns }) => {
      const url = columns.get('url')!
      return url.kind === 'text' && [textsOf(url.dictionary), [...url.codes]]
    })
    expect(texts).toEqual([
      [
        ['z', 'y'],
        [1, 2, 1],
      ],
      [['x'], [1]],
    ])
  })

  it.each([
    [254, Uint8Array],
    [255, Uint8Array],
    [256, Uint16Array],
  ])('gives %d texts codes as narrow as they and absence go', async (length, type) => {
    const records = Array.from({ length }, (_, i) => edge({ metadata: { request: { url: `u${i}` } } }))
    const batch = await sealedBatch([...records, edge()])
    const column = batch.columns.get('url')!
    expect(column.kind === 'text' && column.codes).toBeInstanceOf(type)
    const urls = records.map((_, i) => `u${i}`)
    expect([...urls, undefined].map((_, row) => hotValue(batch, 'url', row))).toEqual([...urls, undefined])
  })

  it('leaves the head as it was', async () => {
    const head = headOf(['c', 'a', 'b'].map((id, i) => edge({ id, timestampUs: -i, project: id })))
    const written = () => ({ ...head.cold, bytes: head.cold.bytes.slice(0, head.cold.usedBytes) })
    const before = structuredClone({ ...head, columns: undefined, cold: written() })
    await seal(head, internIn(createInterner()), noYield)
    expect({ ...head, columns: undefined, cold: written() }).toEqual(before)
  })

  it('says to the byte what it holds', async () => {
    const projects = ['a', 'bc', 'é']
    const records = Array.from({ length: 500 }, (_, i) =>
      edge({ project: projects[i % 3]!, timestampUs: i, metadata: { request: { url: `u${i % 50}` } } }),
    )
    const { times, columns, hotBytes, coldBytes } = await sealedBatch(records)
    // The projects' texts, each with a newline. Offsets of 4 bytes, one more than projects. Starts likewise.
    const index = 1 + 1 + 2 + 3 + 3 + 4 * 5 + 4 * 4
    expect(hotBytes).toBe(bufferBytes([times, columns]) + index)
    expect(coldBytes).toBeGreaterThan(0)
  })

  it('stops where a pause throws', async () => {
    const stop = new Error('stop')
    const head = headOf([edge()])
    const sealing = seal(head, internIn(createInterner()), () => {
      throw stop
    })
    await expect(sealing).rejects.toBe(stop)
  })

  it('takes days far apart', async () => {
    const segments = await sealedSegments([edge({ timestampUs: 80_000 * DAY_US }), edge({ timestampUs: -DAY_US })])
    expect(segments.map(({ day, rows }) => [day, rows])).toEqual([
      [-1, 1],
      [80_000, 1],
    ])
    expect(sizeOf(segments[1]!.projectRows('a'))).toBe(1)
  })
})
