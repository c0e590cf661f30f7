import { chai } from 'vitest'

/**
 * Makes `toEqual` and `toStrictEqual` fast for equal values, as in all passing tests: plain data that are surely equal
 * for both matchers are not passed on. The matchers compare all other values themselves.
 */
function spareEqualValues(matcher: 'toEqual' | 'toStrictEqual'): void {
  chai.Assertion.overwriteMethod(matcher, (compare) => {
    return function (this: object, expected: unknown, ...more: unknown[]) {
      const isNegated = chai.util.flag(this, 'negate') === true
      if (isNegated || !isSurelyEqual(chai.util.flag(this, 'object'), expected)) {
        compare.call(this, expected, ...more)
      }
    }
  })
}

/** Deeper values may contain themselves. */
const MAX_DEPTH = 100

/** Returns whether two values are the same plain data: primitives, typed arrays, and arrays, maps, sets and objects. */
export function isSurelyEqual(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > MAX_DEPTH) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (ArrayBuffer.isView(a)) return bytesOf(a).equals(bytesOf(b as typeof a))
  if (a instanceof Map || a instanceof Set) return isSurelyEqual([...a], [...(b as typeof a)], depth + 1)
  return (Array.isArray(a) || isRecord(a)) && haveEqualMembers(a as Members, b as Members, depth + 1)
}

type Members = Readonly<Record<string, unknown>>

function haveEqualMembers(a: Members, b: Members, depth: number): boolean {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length || a.length !== b.length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSurelyEqual(a[key], b[key], depth))
}

/** Objects without hidden state and without a comparison of their own. */
const isRecord = (value: object): boolean =>
  Object.prototype.toString.call(value) === '[object Object]' &&
  !(Symbol.iterator in value) &&
  !('asymmetricMatch' in value) &&
  Object.getOwnPropertySymbols(value).length === 0

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength)

const DONE = Symbol.for('logweir.fast-equality')

// This file is a setup of each vitest project: once for each process.
const marked = globalThis as { [DONE]?: true }
if (!marked[DONE]) {
  marked[DONE] = true
  spareEqualValues('toEqual')
  spareEqualValues('toStrictEqual')
}
