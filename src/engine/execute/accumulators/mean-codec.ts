import type { MeanState } from './mean.js'
import type { StateCodec } from './state-codec.js'

/** The number of values and every part of the exact sum, so that sums of states that were read stay exact. */
export const meanCodec: StateCodec<MeanState> = {
  name: 'mean 1',
  write({ count, sum, error, rest, large }, out) {
    out.addCount(count)
    out.addCount(rest.length)
    out.addCount(large.length)
    out.addDoubles(Float64Array.of(sum, error, ...rest, ...large))
  },
  read(bytes) {
    const count = bytes.readCount()
    const restLength = bytes.readCount()
    const largeLength = bytes.readCount()
    const [sum, error, ...parts] = bytes.readDoubles(2 + restLength + largeLength)
    return { count, sum, error, rest: parts.slice(0, restLength), large: parts.slice(restLength) }
  },
}
