import { ByteReader } from '../../../base/memory/byte-reader.js'
import { ByteWriter } from '../../../base/memory/byte-writer.js'
import { codecOf } from '../accumulators/codecs.js'
import type { Aggregation, States } from './aggregate.js'

/** Bytes of the states of a group. */
export interface StatesCodec {
  /** The kinds and versions of the states, in order. Bytes are read only by a codec with the names of the writer. */
  names: readonly string[]
  /** Returns the bytes of states, which stay unchanged. */
  write(states: States): Buffer
  /** Returns states, which can be changed. Throws a RangeError if the bytes are none of such states. */
  read(bytes: Buffer): States
}

/** Returns the codec of an aggregation's states. Throws a TypeError if the states of an aggregate cannot be stored. */
export function createStatesCodec({ folds }: Aggregation): StatesCodec {
  const codecs = folds.map(({ key, accumulator }) => {
    const codec = codecOf(accumulator)
    if (codec === undefined) throw new TypeError(`The states of ${key} cannot be stored.`)
    return codec
  })
  const out = new ByteWriter()
  return {
    names: codecs.map(({ name }) => name),
    write(states) {
      out.clear()
      for (let i = 0; i < codecs.length; i++) codecs[i].write(states[i] as never, out)
      return out.copy()
    },
    read(bytes) {
      const reader = new ByteReader(bytes)
      const states = codecs.map((codec) => codec.read(reader))
      if (!reader.isAtEnd) throw new RangeError('Bytes of states are followed by other bytes.')
      return states
    },
  }
}
