import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOfZones, createZones, visitZones, ZONE_ROWS } from '../../../../src/engine/execute/columns/zones.js'
import { bufferBytes } from '../../store/support.js'

const ROWS = 5 * ZONE_ROWS + 7
/** Codes that ascend slowly, with earlier codes in between. */
const codes = Uint32Array.from({ length: ROWS }, (_, row) => (row % 17 === 0 && row > 3 * ZONE_ROWS ? 1 : row >> 3))

const visited = (start: number, end: number, first: number, last: number) => {
  const stretches: [number, number][] = []
  visitZones(createZones(codes), start, end, first, last, (from, to) => stretches.push([from, to]))
  return stretches
}

describe('zones', () => {
  it('name the stretches in which a code may be', () => {
    const of = (row: number) => codes[row]!
    expect(visited(0, 2 * ZONE_ROWS, of(ZONE_ROWS + 8), of(ZONE_ROWS + 9))).toEqual([[ZONE_ROWS, 2 * ZONE_ROWS]])
    expect(visited(5, ZONE_ROWS + 3, 0, 10_000)).toEqual([
      [5, ZONE_ROWS],
      [ZONE_ROWS, ZONE_ROWS + 3],
    ])
    expect(visited(0, ROWS, 100_000, 200_000)).toEqual([])
    expect(visited(7, 7, 0, 100_000)).toEqual([])
    expect(createZones(new Uint8Array(0)).least.length).toBe(0)
  })

  it('leave out no row with such a code', () => {
    const row = fc.nat(ROWS)
    fc.assert(
      fc.property(row, row, fc.nat(700), fc.nat(40), (a, b, first, span) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)]
        const isMeant = (row: number) => codes[row]! >= first && codes[row]! <= first + span
        const rows = visited(start, end, first, first + span).flatMap(([from, to]) => {
          return Array.from({ length: to - from }, (_, i) => from + i)
        })
        const wanted = Array.from({ length: end - start }, (_, i) => start + i).filter(isMeant)
        expect(rows.filter(isMeant)).toEqual(wanted)
      }),
    )
  })

  it('take the bytes of their buffers', () => {
    const zones = createZones(codes)
    expect(bytesOfZones(zones)).toBe(bufferBytes(zones))
  })
})
