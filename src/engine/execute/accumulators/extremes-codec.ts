import type { ExtremesState } from './extremes.js'
import type { StateCodec } from './state-codec.js'

/** Both extremes, infinite without values. */
export const extremesCodec: StateCodec<ExtremesState> = {
  name: 'extremes 1',
  write({ min, max }, out) {
    out.addDouble(min)
    out.addDouble(max)
  },
  read(bytes) {
    const min = bytes.readDouble()
    return { min, max: bytes.readDouble() }
  },
}
