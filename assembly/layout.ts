/** The first door, by which the host lays everything out, once: sizes, lanes and their names, rules. */
import { addArea } from './areas'
import { setRules } from './judge'
import { addColumn, addLane, clearLane } from './lanes'
import { reservedEnd, setSizes } from './regions'
import { addName } from './sources'
import { BYTES } from './table'
import { reserveScratch } from './texts'

export { addArea, addColumn, addLane, addName, clearLane, reserveScratch, reservedEnd, setRules, setSizes }

/** Where the host puts the bytes to scan, and before that the names that it gives. */
export function bytesAddress(): usize {
  return BYTES
}
