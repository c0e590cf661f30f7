import type { ByteReader } from '../../../base/memory/byte-reader.js'
import { KIB } from '../../../base/units.js'
import type { Digest } from './digest.js'
import { allPending, MERGED_LIMIT, NO_VALUES, type QuantileState, quantileState } from './quantile.js'
import type { StateCodec } from './state-codec.js'
import { bytesOfWeighted, thin, weightedValuesOf } from './weighted-values.js'

/** The most bytes of a state. About a thousand different values are exact. */
export const MAX_QUANTILE_BYTES = 8 * KIB

/** The first byte: each value has the weight 1, or the weights follow. */
const [SINGLE, WEIGHTED] = [0, 1]

/**
 * The values with their weights, thinned to {@link MAX_QUANTILE_BYTES}. Quantiles of states that were written and read
 * a thousand times with a few values between stay within 0.5 points of rank.
 */
export const quantileCodec: StateCodec<QuantileState> = {
  name: 'quantile 1',
  write(state, out) {
    const all = weightedValuesOf(state.digests, allPending(state))
    const most = MAX_QUANTILE_BYTES - HEAD_BYTES
    const { values, weights } = bytesOfWeighted(all) <= most ? all : thin(all, most)
    const isSingle = weights.every((weight) => weight === 1)
    out.addByte(isSingle ? SINGLE : WEIGHTED)
    out.addCount(values.length)
    out.addDoubles(values)
    if (!isSingle) for (const weight of weights) out.addCount(weight)
  },
  read(bytes) {
    const isSingle = bytes.readByte() === SINGLE
    const count = bytes.readCount()
    const values = bytes.readDoubles(count)
    if (isSingle && count <= MERGED_LIMIT) return quantileState(values, [])
    const digest: Digest = { values, cumulative: isSingle ? undefined : readCumulative(bytes, count) }
    return quantileState(NO_VALUES, [digest])
  },
}

/** The first byte and the number of values. */
const HEAD_BYTES = 4

function readCumulative(bytes: ByteReader, count: number): Float64Array {
  const cumulative = new Float64Array(count)
  for (let i = 0, sum = 0; i < count; i++) cumulative[i] = sum += bytes.readCount()
  return cumulative
}
