import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../base/clock.js'
import { MILLISECOND_US } from '../base/units.js'
import { type GenerateOptions, generate } from './generate.js'

/** As a command line gives it: the end may be the moment of the call, and a switch may be absent. */
export type WriteOptions = Omit<GenerateOptions, 'endUs' | 'spanUs' | 'slim'> & {
  end: number | 'now'
  span: number
  slim: boolean | undefined
}

/** Writes records no faster than `to` takes them. Rejects with EPIPE where the reader has gone. */
export async function writeRecords({ end, span, slim, ...rest }: WriteOptions, to: Writable): Promise<void> {
  const endUs = end === 'now' ? systemClock.nowUs() - MILLISECOND_US : end
  const chunks = generate({ ...rest, endUs, spanUs: span, slim: slim ?? false })
  await pipeline(Readable.from(chunks), to, { end: false })
}
