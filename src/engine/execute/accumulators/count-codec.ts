import type { CountState } from './count.js'
import type { StateCodec } from './state-codec.js'

/** The number of rows. */
export const countCodec: StateCodec<CountState> = {
  name: 'count 1',
  write: ({ count }, out) => out.addCount(count),
  read: (bytes) => ({ count: bytes.readCount() }),
}
