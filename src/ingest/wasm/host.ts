import { doubleOf } from './double.js'
import type { Host } from './instance.js'
import { timestampOfNumber, timestampOfText } from './timestamp.js'

/** Creates the imports of the module for rare cases. `memory` returns the memory of the calling instance. */
export function createHost(memory: () => Buffer): Host {
  return {
    timestampOfText: (start, end) => timestampOfText(memory(), start, end),
    timestampOfNumber: (start, end) => timestampOfNumber(memory(), start, end),
    doubleOf: (start, end) => doubleOf(memory(), start, end),
    putUuid: (at) => void memory().write(crypto.randomUUID(), at, 'latin1'),
  }
}
