import type { Accumulator } from './accumulator.js'
import { countAccumulator } from './count.js'
import { countCodec } from './count-codec.js'
import { sketchAccumulator } from './distinct.js'
import { extremesAccumulator } from './extremes.js'
import { extremesCodec } from './extremes-codec.js'
import { meanAccumulator } from './mean.js'
import { meanCodec } from './mean-codec.js'
import { quantileAccumulator } from './quantile.js'
import { quantileCodec } from './quantile-codec.js'
import { sketchCodec } from './sketch-codec.js'
import type { StateCodec } from './state-codec.js'
import { greatestCodec, leastCodec } from './value-codec.js'
import { greatestAccumulator, leastAccumulator } from './values.js'

type Pair<State> = readonly [Accumulator<never, State>, StateCodec<State>]

const pair = <State>(accumulator: Accumulator<never, State>, codec: StateCodec<State>): Pair<never> =>
  [accumulator, codec] as unknown as Pair<never>

const CODECS: ReadonlyMap<Accumulator<never, never>, StateCodec<never>> = new Map([
  pair(countAccumulator, countCodec),
  pair(extremesAccumulator, extremesCodec),
  pair(leastAccumulator, leastCodec),
  pair(greatestAccumulator, greatestCodec),
  pair(meanAccumulator, meanCodec),
  pair(quantileAccumulator, quantileCodec),
  pair(sketchAccumulator, sketchCodec),
])

/**
 * Returns the codec of an accumulator's states. Undefined if the states are never stored, such as all distinct values.
 */
export const codecOf = (accumulator: Accumulator<never, never>): StateCodec<never> | undefined =>
  CODECS.get(accumulator)
