import type { Codes } from './dictionary.js'

/**
 * The least and the greatest code of each zone, a stretch of rows. Codes are assigned in order of first appearance, so
 * that texts that appear together have adjacent codes, and most zones contain none of these codes.
 */
export interface Zones {
  least: Uint32Array
  greatest: Uint32Array
}

/** Rows per zone. The last zone may have fewer rows. */
export const ZONE_ROWS = 1024

/** Computes the zones of a column in one pass over its codes. */
export function createZones(codes: Codes): Zones {
  const count = Math.ceil(codes.length / ZONE_ROWS)
  const zones = { least: new Uint32Array(count), greatest: new Uint32Array(count) }
  for (let zone = 0; zone < count; zone++) {
    const end = Math.min(codes.length, (zone + 1) * ZONE_ROWS)
    let least = codes[zone * ZONE_ROWS]
    let greatest = least
    for (let row = zone * ZONE_ROWS; row < end; row++) {
      const code = codes[row]
      if (code < least) least = code
      if (code > greatest) greatest = code
    }
    zones.least[zone] = least
    zones.greatest[zone] = greatest
  }
  return zones
}

/** Returns the bytes of the buffers of zones. */
export const bytesOfZones = ({ least, greatest }: Zones) => least.byteLength + greatest.byteLength

/** Calls `visit` for each stretch of the rows [start, end) that may have a code from `first` to `last`, in order. */
export function visitZones(
  { least, greatest }: Zones,
  start: number,
  end: number,
  first: number,
  last: number,
  visit: (start: number, end: number) => void,
): void {
  for (let row = start; row < end; ) {
    const zone = Math.floor(row / ZONE_ROWS)
    const zoneEnd = Math.min(end, (zone + 1) * ZONE_ROWS)
    if (greatest[zone] >= first && least[zone] <= last) visit(row, zoneEnd)
    row = zoneEnd
  }
}
