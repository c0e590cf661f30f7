import fc from 'fast-check'
import type { SourceName } from '../../../../src/common/sources.js'
import type { Files } from '../../../../src/engine/disk/files/files.js'
import { loadSegment, readSegmentFacts } from '../../../../src/engine/store/files/segment-file.js'
import type { Segment } from '../../../../src/engine/store/segment/segment.js'
import { NINE_AND_OWN } from '../../../support/own-source.js'
import { edge, type TestRecord } from '../../../support/records.js'

const DAY_US = 86_400_000_000
const MAYBE = { requiredKeys: [] }

/** Metadata with the fields of any source's hot columns, present or not. */
const metadata = fc.record(
  {
    request: fc.record(
      { url: fc.oneof(fc.constantFrom('', 'a\nb', 'é'), fc.webUrl()), path: fc.constantFrom('/rest/v1', '/auth', 'x') },
      MAYBE,
    ),
    response: fc.record({ status_code: fc.constantFrom(200, 404, 65_535, 65_536) }, MAYBE),
    function_id: fc.constantFrom('f', 'g', ''),
    execution_time_ms: fc.oneof(fc.nat(1000), fc.constantFrom(-0, 0.1, 0.5, 1e300, 70_000)),
  },
  MAYBE,
)

/** Times that need each form of a segment's times. */
const timeUs = (spanUs: number) => fc.nat(spanUs).map((us) => us)
const times = fc.constantFrom(
  timeUs(3),
  timeUs(DAY_US - 1),
  fc.nat(86_399).map((s) => s * 1_000_000),
)

const arbitrarySource: fc.Arbitrary<SourceName> = fc.constantFrom(...NINE_AND_OWN)

/** Records of one source, of some days, some without project. */
export const arbitraryRecords: fc.Arbitrary<TestRecord[]> = fc.tuple(arbitrarySource, times).chain(([source, time]) =>
  fc.array(
    fc.record({
      source: fc.constant(source),
      id: fc.string({ maxLength: 5 }),
      timestampUs: fc.tuple(fc.integer({ min: -1, max: 1 }), time).map(([day, us]) => day * DAY_US + us),
      project: fc.constantFrom('a', 'b', '', 'é', 'x\ny', null),
      event_message: fc.string({ unit: 'grapheme', maxLength: 40 }),
      metadata: metadata.map((value) => JSON.stringify(value)),
    }),
    { minLength: 1, maxLength: 40 },
  ),
)

/** Records of one day with texts that are worth compacting: 700 records make a cold file of more than 64 KiB. */
export const wordy = (count: number): TestRecord[] =>
  Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: 24 }, (_, k) => (Math.imul(i + 1, 7919 * (k + 1)) >>> (k % 5)) % 10_007)
    return edge({ id: `${i}`, timestampUs: i, event_message: words.join(' '), metadata: JSON.stringify({ words, i }) })
  })

/** Returns everything that a query can read of a segment's hot columns. */
export function hotOf({ source, day, rows, minUs, maxUs, times: stored, projects, columns, hotBytes }: Segment) {
  const times = { baseUs: stored.baseUs, unitUs: stored.unitUs, offsets: stored.offsets }
  const { hasNewlines: _, ...dictionary } = projects.dictionary
  return { source, day, rows, minUs, maxUs, times, projects: { ...projects, dictionary }, columns, hotBytes }
}

/** Returns all cold rows of a segment, as texts. */
export async function coldOf(segment: Segment): Promise<string[][]> {
  const read = segment.openCold()
  const rows: string[][] = []
  for (let row = 0; row < segment.rows; row++) rows.push(Object.values(await read(row)).map(String))
  return rows
}

/** Loads a segment by the path alone, as after a start. */
export async function openSegment(files: Files, directory: string): Promise<Segment> {
  return loadSegment(files, directory, await readSegmentFacts(files, directory))
}
