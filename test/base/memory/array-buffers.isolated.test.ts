import { describe, expect, it } from 'vitest'
import { arrayBuffersOf, free } from '../../../src/base/memory/array-buffers.js'
import { MIB } from '../../../src/base/units.js'

describe('memory of typed arrays', () => {
  it('is found in plain data of any depth, each once, what is empty left out', () => {
    const [a, b, c] = [new Uint8Array(3), new Float64Array(2), Buffer.allocUnsafeSlow(5)]
    const data = {
      a,
      twice: [a.subarray(1), { b }],
      map: new Map([['c', { c }]]),
      none: new Uint8Array(0),
      text: 'x',
      n: null,
    }
    expect(arrayBuffersOf(data)).toEqual([a.buffer, b.buffer, c.buffer])
  })

  it('is given back at once, and leaves them empty', () => {
    const arrays = Array.from({ length: 64 }, () => new Uint8Array(MIB).fill(1))
    const before = process.memoryUsage().arrayBuffers
    free(arrayBuffersOf(arrays))
    expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThanOrEqual(64 * MIB)
    expect(arrays.map(({ length }) => length)).toEqual(arrays.map(() => 0))
  })
})
