/** The first door, by which the host lays everything out, once: sizes, lanes and their names, rules. */
import { addArea } from './fields/areas'
import { setRules } from './batch/judge'
import { addColumn, addLane, clearLane } from './batch/lanes'
import { reservedEnd, setSizes } from './batch/regions'
import { addName } from './fields/sources'
import { BYTES } from './scan/table'
import { reserveScratch } from './batch/texts'

export { addArea, addColumn, addLane, addName, clearLane, reserveScratch, reservedEnd, setRules, setSizes }

/** Where the host puts the bytes to scan, and before that the names that it gives. */
export function bytesAddress(): usize {
  return BYTES
}
