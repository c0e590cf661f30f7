import { readScalar, writeScalar } from '../columns/scalar-bytes.js'
import type { StateCodec } from './state-codec.js'
import type { ValueState } from './values.js'

/** The first byte: whether there is a value. */
const [NONE, SOME] = [0, 1]

/** The kept value. Accumulators that keep another of two values have different names. */
const keptCodec = (name: string): StateCodec<ValueState> => ({
  name,
  write({ value }, out) {
    out.addByte(value === undefined ? NONE : SOME)
    if (value !== undefined) writeScalar(value, out)
  },
  read: (bytes) => ({ value: bytes.readByte() === NONE ? undefined : readScalar(bytes) }),
})

/** The least value in the order across types. */
export const leastCodec = keptCodec('least 1')
/** The greatest value in the order across types. */
export const greatestCodec = keptCodec('greatest 1')
