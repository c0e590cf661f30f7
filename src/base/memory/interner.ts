import { ensureCapacity } from './growable.js'

const FREE = -1
const NEWLINE = 0x0a

/**
 * Distinct byte strings, each with a dense code from 0 in order of first appearance.
 *
 * Creates no JavaScript strings: the table hashes and compares bytes, so the size is known to the byte. Open
 * addressing, at most half full. A newline follows each entry, so that a search over all entries does not match across
 * two entries.
 */
export class Interner {
  count = 0
  /** Whether any entry contains a newline. */
  hasNewlines = false
  /** Entry i is `bytes[offsets[i] .. offsets[i + 1] - 1)`. */
  offsets: Uint32Array<ArrayBuffer>
  bytes: Buffer
  #slots: Int32Array<ArrayBuffer>
  #hashes: Uint32Array<ArrayBuffer>
  #appends = false

  /** Allocates memory for about `entries` entries, a power of 2. All memory grows if there are more entries. */
  constructor(entries = 64) {
    this.offsets = new Uint32Array(entries)
    this.bytes = entries < 64 ? Buffer.allocUnsafe(16 * entries) : Buffer.allocUnsafeSlow(16 * entries)
    this.#slots = new Int32Array(2 * entries).fill(FREE)
    this.#hashes = new Uint32Array(entries)
  }

  /** Returns the code of `source[start .. end)`. Adds an entry if needed. Throws a TypeError after `append`. */
  intern(source: Uint8Array, start: number, end: number): number {
    return this.#intern(hashOf(source, start, end), source, start, end)
  }

  /** Interns an entry of another interner, without hashing the entry again. */
  internFrom(other: Interner, code: number): number {
    if (other.#appends) throw new TypeError('An interner that appends has no hashes.')
    const { offsets, bytes } = other
    return this.#intern(other.#hashes[code], bytes, offsets[code], offsets[code + 1] - 1)
  }

  #intern(hash: number, source: Uint8Array, start: number, end: number): number {
    if (this.#appends) throw new TypeError('An interner that appends does not intern.')
    const slot = this.#slotOf(hash, source, start, end)
    const code = this.#slots[slot]
    return code === FREE ? this.#add(slot, hash, source, start, end) : code
  }

  /** Returns the code of `source[start .. end)`, or -1 if there is no such entry. */
  find(source: Uint8Array, start: number, end: number): number {
    return this.#slots[this.#slotOf(hashOf(source, start, end), source, start, end)]
  }

  /**
   * Adds an entry without looking for an equal entry, and returns the new code. From then on `intern` throws until
   * `clear`, because the hash table does not contain such entries.
   */
  append(source: Uint8Array, start: number, end: number): number {
    this.#appends = true
    return this.#write(source, start, end)
  }

  /** Allocates room for `bytes` bytes of entries, so that growing to that size does not copy entries repeatedly. */
  reserve(bytes: number): void {
    if (bytes > this.bytes.length) this.bytes = grownBytes(this.bytes, this.offsets[this.count], bytes)
  }

  #write(source: Uint8Array, start: number, end: number): number {
    const code = this.count
    const from = this.offsets[code]
    const to = from + end - start + 1
    this.offsets = ensureCapacity(this.offsets, code + 1, code + 2)
    this.reserve(to)
    for (let i = from, j = start; j < end; i++, j++) {
      if ((this.bytes[i] = source[j]) === NEWLINE) this.hasNewlines = true
    }
    this.bytes[to - 1] = NEWLINE
    this.offsets[code + 1] = to
    this.count++
    return code
  }

  /** Returns a copy to which other entries can be added. */
  copy(): Interner {
    const copy = new Interner(1)
    copy.count = this.count
    copy.hasNewlines = this.hasNewlines
    copy.offsets = this.offsets.slice()
    copy.bytes = Buffer.allocUnsafeSlow(this.bytes.length)
    this.bytes.copy(copy.bytes, 0, 0, this.offsets[this.count])
    copy.#slots = this.#slots.slice()
    copy.#hashes = this.#hashes.slice()
    copy.#appends = this.#appends
    return copy
  }

  /** Removes all entries, but keeps the allocated memory. */
  clear(): void {
    this.count = 0
    this.hasNewlines = false
    this.#appends = false
    this.#slots.fill(FREE)
  }

  /** The size of all buffers in bytes, unused room included. */
  get byteLength(): number {
    return this.offsets.byteLength + this.bytes.byteLength + this.#slots.byteLength + this.#hashes.byteLength
  }

  /** Returns the slot of the entry, or the free slot for a new entry. */
  #slotOf(hash: number, source: Uint8Array, start: number, end: number): number {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let code = this.#slots[slot]; code !== FREE; code = this.#slots[slot]) {
      if (this.#hashes[code] === hash && this.#equals(code, source, start, end)) return slot
      slot = (slot + 1) & mask
    }
    return slot
  }

  #equals(code: number, source: Uint8Array, start: number, end: number): boolean {
    const from = this.offsets[code]
    if (this.offsets[code + 1] - 1 - from !== end - start) return false
    const { bytes } = this
    for (let i = from, j = start; j < end; i++, j++) if (bytes[i] !== source[j]) return false
    return true
  }

  #add(slot: number, hash: number, source: Uint8Array, start: number, end: number): number {
    const code = this.#write(source, start, end)
    this.#hashes = ensureCapacity(this.#hashes, code, code + 1)
    this.#hashes[code] = hash
    this.#slots[slot] = code
    if (this.count * 2 > this.#slots.length) this.#rehash()
    return code
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(FREE)
    const mask = slots.length - 1
    for (let code = 0; code < this.count; code++) {
      let slot = this.#hashes[code] & mask
      while (slots[slot] !== FREE) slot = (slot + 1) & mask
      slots[slot] = code
    }
    this.#slots = slots
  }
}

/**
 * Hashes four bytes at a time by steps of the 32-bit finaliser of MurmurHash3 (A. Appleby), then the remaining bytes.
 */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start
  let i = start
  for (; i + 4 <= end; i += 4) {
    const word = bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24)
    hash = Math.imul(hash ^ word, 0x85ebca6b)
    hash ^= hash >>> 13
  }
  for (; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

function grownBytes(bytes: Buffer, used: number, length: number): Buffer {
  const next = Buffer.allocUnsafeSlow(Math.max(length, bytes.length * 2))
  bytes.copy(next, 0, 0, used)
  return next
}
