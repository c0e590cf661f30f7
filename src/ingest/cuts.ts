import { setImmediate as breathe } from 'node:timers/promises'
import { LogweirError } from '../base/errors.js'
import { KIB } from '../base/units.js'
import { type BodyRecord, createRecord, recordsOf } from './body.js'

/** A JSON body holds so many records at most. */
export const MAX_RECORDS = 500_000
/** Others have a turn after so many bytes. */
const WALK_BYTES = 256 * KIB

/** The integers that are kept of a record, and the bits of the third. */
const [START, END, BITS, MESSAGE_AT, MESSAGE_END, INTS] = [0, 1, 2, 3, 4, 5]
const [IS_OBJECT, LACKS_SOURCE, LACKS_PROJECT] = [1, 2, 4]

/**
 * All records of a JSON body, so that none is taken of one that turns out broken. Throws `invalid_body`, and
 * `body_too_large` beyond {@link MAX_RECORDS}.
 */
export async function cut(bytes: Uint8Array): Promise<Iterable<BodyRecord>> {
  let cuts = new Int32Array(256 * INTS)
  let count = 0
  let walked = 0
  for (const record of recordsOf(bytes, 'json')) {
    if (count === MAX_RECORDS) throw tooMany()
    if ((count + 1) * INTS > cuts.length) cuts = doubled(cuts)
    keep(record, cuts, count++ * INTS)
    if (record.end - walked < WALK_BYTES) continue
    walked = record.end
    await breathe()
  }
  return replay(cuts, count)
}

function keep(record: BodyRecord, cuts: Int32Array, at: number): void {
  cuts[at + START] = record.start
  cuts[at + END] = record.end
  cuts[at + BITS] =
    (record.isObject ? IS_OBJECT : 0) |
    (record.lacksSource ? LACKS_SOURCE : 0) |
    (record.lacksProject ? LACKS_PROJECT : 0)
  cuts[at + MESSAGE_AT] = record.messageAt
  cuts[at + MESSAGE_END] = record.messageEnd
}

function* replay(cuts: Int32Array, count: number): Generator<BodyRecord, void> {
  const record = createRecord()
  for (let at = 0; at < count * INTS; at += INTS) {
    const bits = cuts[at + BITS]!
    record.start = cuts[at + START]!
    record.end = cuts[at + END]!
    record.isObject = (bits & IS_OBJECT) !== 0
    record.lacksSource = (bits & LACKS_SOURCE) !== 0
    record.lacksProject = (bits & LACKS_PROJECT) !== 0
    record.messageAt = cuts[at + MESSAGE_AT]!
    record.messageEnd = cuts[at + MESSAGE_END]!
    yield record
  }
}

function doubled(cuts: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * cuts.length)
  more.set(cuts)
  return more
}

const tooMany = () =>
  new LogweirError(
    'body_too_large',
    `The body holds over ${MAX_RECORDS} records. Nothing of it was taken. Send smaller batches.`,
  )
