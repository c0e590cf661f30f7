import { doubleOf } from './double.js'
import type { Host } from './instance.js'
import { timestampOfNumber, timestampOfText } from './timestamp.js'

/** The rare cases that the module leaves to JavaScript; `memory` gives all the memory of the instance that asks. */
export function createHost(memory: () => Buffer): Host {
  return {
    timestampOfText: (start, end) => timestampOfText(memory(), start, end),
    timestampOfNumber: (start, end) => timestampOfNumber(memory(), start, end),
    doubleOf: (start, end) => doubleOf(memory(), start, end),
    putUuid: (at) => void memory().write(crypto.randomUUID(), at, 'latin1'),
  }
}
