import { describe, expect, it } from 'vitest'
import { isSurelyEqual } from './fast-equality.js'

class Point {
  readonly x: number
  constructor(x: number) {
    this.x = x
  }
}

describe('values that are surely equal', () => {
  it.each([
    [[1, 'a', null, undefined, Number.NaN, 2n], () => [1, 'a', null, undefined, Number.NaN, 2n]],
    [{ a: { b: [] }, c: new Point(1) }, () => ({ c: new Point(1), a: { b: [] } })],
    [Float64Array.of(1, Number.NaN), () => Float64Array.of(1, Number.NaN)],
    [Buffer.from('xy').subarray(1), () => Buffer.from('y')],
    [new Map([[1, new Set(['a'])]]), () => new Map([[1, new Set(['a'])]])],
  ])('%o', (value, same) => {
    expect(isSurelyEqual(value, same())).toBe(true)
  })

  const cyclic = () => {
    const object: { self?: unknown } = {}
    object.self = object
    return object
  }
  it.each([
    [0, -0],
    [1, '1'],
    [null, undefined],
    [{ a: 1 }, { b: 1 }],
    [{ a: undefined }, {}],
    [[1], [1, 2]],
    [[undefined], Array(1)],
    [Object.assign([], { a: 1 }), Object.assign([], { a: 2 })],
    [{ length: 1 }, [undefined]],
    [new Point(1), { x: 1 }],
    [new Point(1), new Point(2)],
    [Uint8Array.of(1), Int8Array.of(1)],
    [Uint8Array.of(1), Uint8Array.of(2)],
    [{ [Symbol.for('a')]: 1 }, { [Symbol.for('a')]: 2 }],
    [new Map([[1, 1]]), new Map([[1, 2]])],
    [new Set([1]), new Set([1, 2])],
    // Equal or not, the matcher decides.
    [new Set([1, 2]), new Set([2, 1])],
    [new Date(1), new Date(2)],
    [new URL('http://a'), new URL('http://b')],
    [new Headers({ a: '1' }), new Headers({ a: '2' })],
    [new Error('a'), new Error('b')],
    [cyclic(), cyclic()],
  ])('not %o and %o', (a, b) => {
    expect([isSurelyEqual(a, b), isSurelyEqual(b, a)]).toEqual([false, false])
  })
})

describe('toEqual and toStrictEqual', () => {
  it('still fail, and compare what is not plain data', () => {
    expect(() => expect({ a: [1] }).toEqual({ a: [2] })).toThrow('to deeply equal')
    expect(() => expect({ a: [1] }).toStrictEqual({ a: [1], b: undefined })).toThrow('to strictly equal')
    expect({ a: [1] }).toEqual({ a: [1], b: undefined })
    expect({ a: 1 }).toEqual({ a: expect.any(Number) })
    expect(() => expect({ a: 1 }).not.toEqual({ a: 1 })).toThrow('to not deeply equal')
    expect(() => expect(new Map([[1, 1]])).toEqual(new Map([[1, 2]]))).toThrow('to deeply equal')
  })

  it('wait for promises', async () => {
    await expect(Promise.resolve([1])).resolves.toEqual([1])
    await expect(expect(Promise.resolve([1])).resolves.toEqual([2])).rejects.toThrow('to deeply equal')
  })
})
