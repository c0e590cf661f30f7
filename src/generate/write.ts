import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../base/time/clock.js'
import { MILLISECOND_US } from '../base/units.js'
import { type GenerateOptions, generate } from './generate.js'

/** Options of a command line: `end` may be `now`, the time of the call. `span` is in µs. Flags may be absent. */
export type WriteOptions = Omit<GenerateOptions, 'endUs' | 'spanUs' | 'slim' | 'optionalHeaders'> & {
  end: number | 'now'
  span: number
  slim: boolean | undefined
  optionalHeaders: boolean | undefined
}

/** Writes records to a stream, with backpressure. Rejects with EPIPE if the reader has closed the stream. */
export async function writeRecords(
  { end, span, slim = false, optionalHeaders = false, ...rest }: WriteOptions,
  to: Writable,
): Promise<void> {
  const endUs = end === 'now' ? systemClock.nowUs() - MILLISECOND_US : end
  const chunks = generate({ ...rest, endUs, spanUs: span, slim, optionalHeaders })
  await pipeline(Readable.from(chunks), to, { end: false })
}
