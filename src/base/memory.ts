import { totalmem } from 'node:os'
import { MIB } from './units.js'

/** Below this the process takes more than its limit and a quarter, since under load parsing and queries take some 200 MiB. */
export const LEAST_LIMIT_BYTES = 256 * MIB
/** The part of the limit that is for rows. The rest is for parsing, queries, the result cache and the runtime itself. */
export const ROWS_SHARE = 0.5

const inMib = (bytes: number) => `${Number((bytes / MIB).toPrecision(3))} MiB`

/** What to tell of a limit that the process cannot keep; undefined if it can. */
export function limitWarning(limitBytes: number): string | undefined {
  if (limitBytes >= LEAST_LIMIT_BYTES) return undefined
  return (
    `The memory limit of ${inMib(limitBytes)} is too low: it limits the rows to ${inMib(limitBytes * ROWS_SHARE)}, ` +
    `but under load the process takes some 200 MiB more. Set --memory-limit to ${LEAST_LIMIT_BYTES / MIB}M or more.`
  )
}

/** Bytes of memory that the process may have: the machine's, or less where a container or a service is given less. */
export function memoryBytes(): number {
  return leastOf(totalmem(), process.constrainedMemory())
}

/** `constrained` is 0 or undefined where there is no limit, and on some systems a number beyond all memory. */
export function leastOf(total: number, constrained: number | undefined): number {
  return constrained === undefined || constrained === 0 ? total : Math.min(total, constrained)
}
