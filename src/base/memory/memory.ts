import { totalmem } from 'node:os'
import { MIB } from '../units.js'

/**
 * The smallest useful limit. Parsing and queries take some 200 MiB under load: below that limit, a process exceeds the
 * limit by over 25 %.
 */
export const MIN_LIMIT_BYTES = 256 * MIB
/** The share of the limit for rows. The remainder is for parsing, queries, the result cache and the runtime. */
export const ROWS_SHARE = 0.5

const inMib = (bytes: number) => `${Number((bytes / MIB).toPrecision(3))} MiB`

/** Returns a warning if the process cannot keep to this limit, else undefined. */
export function limitWarning(limitBytes: number): string | undefined {
  if (limitBytes >= MIN_LIMIT_BYTES) return undefined
  return (
    `The memory limit of ${inMib(limitBytes)} is too low: it limits the rows to ${inMib(limitBytes * ROWS_SHARE)}, ` +
    `but under load the process takes some 200 MiB more. Set --memory-limit to ${MIN_LIMIT_BYTES / MIB}M or more.`
  )
}

/**
 * Returns the memory available to the process in bytes: the memory of the machine, or the limit of the container or
 * service if less.
 */
export function memoryBytes(): number {
  return smallerLimit(totalmem(), process.constrainedMemory())
}

/**
 * Returns the smaller limit. `constrained` is 0 or undefined if there is none, and on some systems exceeds all memory.
 */
export function smallerLimit(total: number, constrained: number | undefined): number {
  return constrained === undefined || constrained === 0 ? total : Math.min(total, constrained)
}
