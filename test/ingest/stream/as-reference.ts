import fc from 'fast-check'
import { expect, vi } from 'vitest'
import { allSourceNames, findSource } from '../../../src/common/sources.js'
import type { IngestBatch } from '../../../src/engine/engine.js'
import { MAX_LINE_BYTES } from '../../../src/ingest/lines/check-lines.js'
import { BATCH_BYTES, BATCH_ROWS } from '../../../src/ingest/lines/record-sink.js'
import { below, mulberry32 } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { stream } from '../parse.records.js'
import { NOW_US, type ParseOptions, parseChunks, RETENTION_US, rowsOf } from '../parsing.js'
import { parseByReference } from '../reference/parse.js'
import type { Reject } from '../rejected.js'

/** Compares the parser with the reference. */

/** Random streams of records. */
const RUNS = runs(150)

/** Calls a function while UUIDs count from 0, so that two calls generate equal UUIDs. */
function withCountedIds<T>(run: () => T): T {
  let ids = 0
  const spy = vi
    .spyOn(crypto, 'randomUUID')
    .mockImplementation(() => `00000000-0000-4000-8000-${String(ids++).padStart(12, '0')}`)
  try {
    return run()
  } finally {
    spy.mockRestore()
  }
}

const comparable = ({ batches, rejects }: { batches: IngestBatch[]; rejects: Reject[] }) => ({
  batches: batches.map(({ source, rows, ipc }) => ({ source, rows, ipc: Buffer.from(ipc).toString('latin1') })),
  rejects: rejects.map((reject) => ({ ...reject, bytes: Buffer.from(reject.bytes).toString('latin1') })),
})

/** Parses the stream in chunks, and expects the same bytes as from the reference, which parses the whole. */
export function check(bytes: Buffer, options: ParseOptions = {}, chunks: readonly Buffer[] = [bytes]) {
  const found = withCountedIds(() => parseChunks(chunks, options))
  const rules = {
    retentionUs: RETENTION_US,
    nowUs: NOW_US,
    maxLineBytes: MAX_LINE_BYTES,
    batchRows: BATCH_ROWS,
    batchBytes: BATCH_BYTES,
    ...options,
    defaultSource: options.defaultSource === undefined ? undefined : findSource(options.defaultSource),
  }
  const wanted = withCountedIds(() => parseByReference(bytes, rules))
  const [a, b] = [comparable(found), comparable(wanted)]
  if (JSON.stringify(a) !== JSON.stringify(b)) {
    // A difference is easier to see in lines and rows than in bytes.
    const told = ({ rejects }: typeof a) => rejects.map(({ line, reason }) => `${line} ${reason}`)
    expect(told(a)).toEqual(told(b))
    expect(found.batches.flatMap(rowsOf)).toEqual(wanted.batches.flatMap(rowsOf))
    expect.fail('the bytes of the batches differ')
  }
  return found
}

/** Splits bytes at random offsets. */
export function cut(bytes: Buffer, random: () => number): Buffer[] {
  const most = 2 ** below(random, 18)
  const chunks: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = start + 1 + below(random, most)
    chunks.push(bytes.subarray(start, end))
    start = end
  }
  return chunks
}

/** Expects the same bytes as from the reference for random records, which are cut into chunks. */
export function expectAsReference(): void {
  const options = fc.record({
    batchRows: fc.integer({ min: 1, max: 40 }),
    batchBytes: fc.integer({ min: 1, max: 3000 }),
    maxLineBytes: fc.constantFrom(150, 1000, 10_000),
    scannedLines: fc.integer({ min: 1, max: 64 }),
    // Names are read in another way if there is a default.
    defaultSource: fc.oneof(fc.constant(undefined), fc.constantFrom(...allSourceNames())),
    acceptsUnreadableTimes: fc.boolean(),
  })
  fc.assert(
    fc.property(stream, options, fc.nat(), (bytes, o, seed) => void check(bytes, o, cut(bytes, mulberry32(seed)))),
    { numRuns: RUNS },
  )
}
