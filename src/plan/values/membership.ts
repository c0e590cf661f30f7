import type { Moment } from '../../base/time/moment.js'
import { compareValues, integer, isTime, momentUs, numberOf, RawJson, type Scalar, timeUs } from './values.js'

/**
 * The set of values on the right side of IN. `has` compares as `=` does, see {@link compareValues}. A lookup takes the
 * same time however many values there are. Only lists are compared in a loop.
 */
export class Membership {
  /** The values. Equal values of the same type are kept once. */
  readonly values: Scalar[] = []
  #hasNull = false
  readonly #booleans = new Set<boolean>()
  readonly #numbers = new NumberSet()
  readonly #texts = new Set<string>()
  /** The numbers that texts spell. */
  readonly #spelled = new NumberSet()
  readonly #times = new Set<Moment>()
  /** The moments of numbers and texts, in microseconds. Undefined until needed, since reading takes long. */
  #moments: Set<Moment> | undefined
  /** Whether a number or text is no moment, as of the last of `#moments`. */
  #hasNoMoment = false
  readonly #jsons = new Set<string>()
  readonly #lists: (readonly Scalar[])[] = []

  constructor(values: Iterable<Scalar> = []) {
    memberships.set(this.values, this)
    for (const value of values) this.add(value)
  }

  /** Adds a value. Returns false if an equal value of its type was added before. */
  add(value: Scalar): boolean {
    const isNew = this.#insert(value)
    if (!isNew) return false
    this.values.push(value)
    if (this.#moments !== undefined) this.#addMoment(value)
    return true
  }

  /** Reads the moments of values in `add`. Else the first lookup of a time takes long. */
  expectTimes(): void {
    if (this.#moments !== undefined) return
    this.#moments = new Set()
    for (const value of this.values) this.#addMoment(value)
  }

  /**
   * Returns whether a value is in the set: null for null, or if no value is equal and a comparison is null. False if
   * the set is empty.
   */
  has(value: Scalar): boolean | null {
    if (this.values.length === 0) return false
    if (value === null) return null
    const isKnown = this.#find(value)
    return isKnown === false && this.#hasNull ? null : isKnown
  }

  #insert(value: Scalar): boolean {
    if (typeof value === 'string') return this.#insertText(value)
    if (typeof value === 'number' || typeof value === 'bigint') return this.#numbers.add(value)
    if (typeof value === 'boolean') return insert(this.#booleans, value)
    if (value instanceof RawJson) return insert(this.#jsons, value.text)
    if (isTime(value)) return insert(this.#times, timeUs(value))
    if (value !== null) return this.#lists.push(value) > 0
    const isNew = !this.#hasNull
    this.#hasNull = true
    return isNew
  }

  #insertText(text: string): boolean {
    if (!insert(this.#texts, text)) return false
    const number = numberOf(text)
    if (number !== undefined) this.#spelled.add(number)
    return true
  }

  #addMoment(value: Scalar): void {
    if (!isNumberOrText(value)) return
    const us = momentUs(value)
    if (us === undefined) this.#hasNoMoment = true
    else this.#moments!.add(us)
  }

  #find(value: Scalar): boolean | null {
    if (isTime(value)) return this.#findTime(timeUs(value))
    if (isNumberOrText(value)) {
      if (this.#isEqual(value)) return true
      if (this.#times.size === 0) return false
      const us = momentUs(value)
      return us === undefined ? null : this.#times.has(us)
    }
    if (typeof value === 'boolean') return this.#booleans.has(value)
    if (value instanceof RawJson) return this.#jsons.has(value.text)
    return this.#lists.some((list) => compareValues(list, value) === 0)
  }

  /** Whether a number or text equals one of the numbers and texts. */
  #isEqual(value: number | bigint | string): boolean {
    if (typeof value !== 'string') return this.#numbers.has(value) || this.#spelled.has(value)
    if (this.#texts.has(value)) return true
    const number = this.#numbers.isEmpty() ? undefined : numberOf(value)
    return number !== undefined && this.#numbers.has(number)
  }

  #findTime(us: Moment): boolean | null {
    this.expectTimes()
    if (this.#times.has(us) || this.#moments!.has(us)) return true
    return this.#hasNoMoment ? null : false
  }
}

const memberships = new WeakMap<readonly Scalar[], Membership>()

/** Returns the membership of a list that does not change: the same each time. */
export function membershipOf(list: readonly Scalar[]): Membership {
  const known = memberships.get(list) ?? new Membership(list)
  memberships.set(list, known)
  return known
}

const isNumberOrText = (value: Scalar): value is number | bigint | string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'

/** Adds a value to a set. Returns false if the set had the value. */
function insert<T>(set: Set<T>, value: T): boolean {
  const { size } = set
  return set.add(value).size > size
}

/** A set of numbers, equal as in `compareNumbers`: exactly if both are integers, otherwise as doubles. */
class NumberSet {
  readonly #doubles = new Set<number>()
  /** Integers that no double holds exactly, and the doubles next to such integers. */
  readonly #integers = new Set<bigint>()
  readonly #rounded = new Set<number>()

  isEmpty(): boolean {
    return this.#doubles.size === 0 && this.#integers.size === 0
  }

  /** Returns false if the number was there. */
  add(value: number | bigint): boolean {
    const number = canonical(value)
    if (typeof number === 'number') return insert(this.#doubles, number)
    this.#rounded.add(Number(number))
    return insert(this.#integers, number)
  }

  has(value: number | bigint): boolean {
    const number = canonical(value)
    if (typeof number === 'bigint') return this.#integers.has(number) || this.#doubles.has(Number(number))
    // The double next to a long integer is never a safe integer.
    return this.#doubles.has(number) || this.#rounded.has(number)
  }
}

const canonical = (value: number | bigint): number | bigint =>
  typeof value === 'bigint' ? (integer(value) ?? value) : value
