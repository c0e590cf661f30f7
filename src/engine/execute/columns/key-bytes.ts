import { jsonOf } from '../../../plan/functions/text-of.js'
import { CivilDate, Datetime, isTime, RawJson, type Scalar, Timestamp } from '../../../plan/values/values.js'

/** A value that takes at most 8 bytes. */
type FixedValue = null | boolean | number | bigint | Timestamp | Datetime | CivilDate

/** A longer text is copied by a call. For a short text, a call costs more than a loop over the bytes. */
const LONG_TEXT = 64

/**
 * The keys of a group as bytes: a tag for each value's type, then the value. Equal keys have equal bytes, so that
 * groups can be found by the bytes. Texts come from a dictionary without becoming strings on the way.
 */
export class KeyBytes {
  bytes = Buffer.allocUnsafeSlow(256)
  length = 0

  /** Starts the next group's keys. */
  clear(): void {
    this.length = 0
  }

  /** Adds a text as its UTF-8 bytes. */
  addText(text: Uint8Array, tag = TEXT): void {
    this.addPart(text, 0, text.length, tag)
  }

  /** Adds a text: the UTF-8 bytes `source[start .. end)`. */
  addPart(source: Uint8Array, start: number, end: number, tag = TEXT): void {
    const length = end - start
    this.#reserve(5 + length)
    const { bytes } = this
    let at = this.length
    bytes[at++] = tag
    for (let rest = length, i = 0; i < 4; i++, rest >>>= 8) bytes[at++] = rest
    if (length > LONG_TEXT) bytes.set(source.subarray(start, end), at)
    else for (let i = start; i < end; ) bytes[at++] = source[i++]
    this.length += 5 + length
  }

  /** Adds keys that were written before. */
  addBytes(keys: Uint8Array): void {
    this.#reserve(keys.length)
    this.bytes.set(keys, this.length)
    this.length += keys.length
  }

  /** Adds any value. */
  add(value: Scalar): void {
    if (typeof value === 'string') this.addText(Buffer.from(value))
    else if (value instanceof RawJson) this.addText(Buffer.from(value.text), JSON_TEXT)
    else if (Array.isArray(value)) this.addText(Buffer.from(jsonOf(value)), LIST)
    else this.#addFixed(value as FixedValue)
  }

  #addFixed(value: FixedValue): void {
    this.#reserve(9)
    const at = this.length
    if (value === null || typeof value === 'boolean') {
      this.bytes[at] = value === null ? NULL : value ? TRUE : FALSE
      this.length += 1
      return
    }
    if (isTime(value)) this.#addTime(value, at)
    else if (typeof value === 'bigint' || isLongInteger(value)) {
      const big = BigInt(value)
      this.bytes[at] = big < 0n ? NEGATIVE : BIG
      this.bytes.writeBigUInt64LE(BigInt.asUintN(64, big), at + 1)
    } else {
      this.bytes[at] = NUMBER
      this.bytes.writeDoubleLE(value + 0, at + 1)
    }
    this.length += 9
  }

  #addTime(value: Timestamp | Datetime | CivilDate, at: number): void {
    const number = value instanceof CivilDate ? value.days : value.us
    this.bytes[at] = tagOfTime(value)
    if (typeof number === 'number') {
      this.bytes.writeDoubleLE(number, at + 1)
      return
    }
    this.bytes[at] = value instanceof Timestamp ? FAR_TIMESTAMP : FAR_DATETIME
    this.bytes.writeBigInt64LE(number, at + 1)
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(2 * (this.length + bytes))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
  }
}

/** Whether a double is a whole number of 54 to 64 bits: the double is equal to the integer, which is a bigint. */
const isLongInteger = (value: Scalar): value is number =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && Number(value) >= -(2 ** 63) && Number(value) < 2 ** 64

// Files of views have these bytes: each tag keeps its meaning and the form of its value.
const [NULL, FALSE, TRUE, NUMBER, BIG, NEGATIVE, TIMESTAMP, DATETIME, DATE] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
/** Times that no double holds exactly. */
const [FAR_TIMESTAMP, FAR_DATETIME] = [9, 10]
const [TEXT, JSON_TEXT, LIST] = [11, 12, 13]

function tagOfTime(value: Timestamp | Datetime | CivilDate): number {
  return value instanceof Timestamp ? TIMESTAMP : value instanceof Datetime ? DATETIME : DATE
}

/** Returns the end of the key that {@link KeyBytes} wrote at a position. */
export function endOfKey(bytes: Buffer, at: number): number {
  const tag = bytes[at]
  if (tag <= TRUE) return at + 1
  return tag >= TEXT ? at + 5 + bytes.readUInt32LE(at + 1) : at + 9
}

/** Returns the microseconds of a timestamp that is a key. Undefined for another value, or beyond 2^53. */
export const timestampOfKey = (bytes: Buffer, at: number): number | undefined =>
  bytes[at] === TIMESTAMP ? bytes.readDoubleLE(at + 1) : undefined

/** Returns the values of keys that {@link KeyBytes} wrote. */
export function readKeys(bytes: Buffer, count: number): Scalar[] {
  const values: Scalar[] = []
  for (let at = 0; values.length < count; ) {
    const tag = bytes[at]
    const end = endOfKey(bytes, at)
    if (tag <= TRUE) values.push(tag === NULL ? null : tag === TRUE)
    else if (tag >= TEXT) values.push(textOfTag(tag, bytes.toString('utf8', at + 5, end)))
    else values.push(fixedOfTag(tag, bytes, at + 1))
    at = end
  }
  return values
}

function textOfTag(tag: number, text: string): Scalar {
  if (tag === TEXT) return text
  return tag === LIST ? (JSON.parse(text) as Scalar[]) : new RawJson(text)
}

function fixedOfTag(tag: number, bytes: Buffer, at: number): Scalar {
  if (tag === BIG) return bytes.readBigUInt64LE(at)
  if (tag === NEGATIVE) return bytes.readBigInt64LE(at)
  if (tag === FAR_TIMESTAMP) return new Timestamp(bytes.readBigInt64LE(at))
  if (tag === FAR_DATETIME) return new Datetime(bytes.readBigInt64LE(at))
  const value = bytes.readDoubleLE(at)
  if (tag === NUMBER) return value
  if (tag === TIMESTAMP) return new Timestamp(value)
  return tag === DATETIME ? new Datetime(value) : new CivilDate(value)
}
