import { describe, expect, it } from 'vitest'
import { growInPlace } from '../../../src/base/memory/growable.js'
import { KIB, MIB } from '../../../src/base/units.js'

describe('bytes that grow', () => {
  it('stay where they are, with what stands there, and have room ahead', () => {
    const bytes = growInPlace(new Uint8Array(0), 5)
    bytes.set([1, 2, 3, 4, 5])
    const view = bytes.subarray(1, 3)
    expect(bytes.length).toBe(16 * KIB)
    expect(growInPlace(bytes, 16 * KIB)).toBe(bytes)
    expect(growInPlace(bytes, 3 * MIB)).toBe(bytes)
    expect(bytes.length).toBe(3.75 * MIB)
    expect([...bytes.subarray(0, 6)]).toEqual([1, 2, 3, 4, 5, 0])
    bytes[2] = 9
    expect([...view]).toEqual([2, 9])
  })

  it.each([
    ['more than 256 MiB', growInPlace(new Uint8Array(0), 3)],
    ['what cannot grow', Uint8Array.of(0, 0, 0)],
  ])('move, with what stands there, where it is %s', (_, bytes) => {
    bytes.set([7, 8, 9])
    const moved = growInPlace(bytes, 260 * MIB)
    expect(moved).not.toBe(bytes)
    expect([...moved.subarray(0, 4)]).toEqual([7, 8, 9, 0])
    expect(growInPlace(moved, 400 * MIB)).toBe(moved)
    expect([...bytes.subarray(0, 3)]).toEqual([7, 8, 9])
  })
})
