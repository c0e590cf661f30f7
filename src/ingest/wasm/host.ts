import { doubleOf } from './double.js'
import type { Host } from './instance.js'
import { timestampOfNumber, timestampOfText } from './timestamp.js'

/**
 * Returns the time of the newest record of a project, or without a project, that is past its limit, given the number of
 * a batch builder.
 */
export type HiddenThrough = (builder: number, project: string | undefined) => number

/**
 * Creates the imports of the module for rare cases. `memory` returns the memory of the calling instance. By default no
 * record is past a limit.
 */
export function createHost(memory: () => Buffer, hiddenThrough: HiddenThrough = () => Number.NEGATIVE_INFINITY): Host {
  return {
    timestampOfText: (start, end) => timestampOfText(memory(), start, end),
    timestampOfNumber: (start, end) => timestampOfNumber(memory(), start, end),
    doubleOf: (start, end) => doubleOf(memory(), start, end),
    hiddenThrough: (builder, start, end) =>
      hiddenThrough(builder, start === 0 ? undefined : memory().toString('utf8', start, end)),
    putUuid: (at) => void memory().write(crypto.randomUUID(), at, 'latin1'),
  }
}
