import { totalmem } from 'node:os'

/** Bytes of memory that the process may have: the machine's, or less where a container or a service is given less. */
export function memoryBytes(): number {
  return leastOf(totalmem(), process.constrainedMemory())
}

/** `constrained` is 0 or undefined where there is no limit, and on some systems a number beyond all memory. */
export function leastOf(total: number, constrained: number | undefined): number {
  return constrained === undefined || constrained === 0 ? total : Math.min(total, constrained)
}
