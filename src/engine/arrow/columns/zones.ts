import type { Codes } from './dictionary.js'

/**
 * The least and the greatest code of each stretch of rows. Codes are given in order of first appearance, so that the rows
 * of texts that appear together lie together, and most stretches hold none of them.
 */
export interface Zones {
  least: Uint32Array
  greatest: Uint32Array
}

/** Rows of a zone. */
export const ZONE_ROWS = 1024

export function createZones(codes: Codes): Zones {
  const count = Math.ceil(codes.length / ZONE_ROWS)
  const zones = { least: new Uint32Array(count), greatest: new Uint32Array(count) }
  for (let zone = 0; zone < count; zone++) {
    const end = Math.min(codes.length, (zone + 1) * ZONE_ROWS)
    let least = codes[zone * ZONE_ROWS]!
    let greatest = least
    for (let row = zone * ZONE_ROWS; row < end; row++) {
      const code = codes[row]!
      if (code < least) least = code
      if (code > greatest) greatest = code
    }
    zones.least[zone] = least
    zones.greatest[zone] = greatest
  }
  return zones
}

export const bytesOfZones = ({ least, greatest }: Zones) => least.byteLength + greatest.byteLength

/** Calls `visit` with the stretches of the rows [start, end) that may hold a code from `first` to `last`, in order. */
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
    if (greatest[zone]! >= first && least[zone]! <= last) visit(row, zoneEnd)
    row = zoneEnd
  }
}
