import { copyBytes } from './bytes.js'
import { doubledBytes, doubledInts } from './grow.js'

/**
 * Gives each distinct byte string a code: 0, 1, 2, … in the order of first sight. Never makes a JavaScript string.
 * Open addressing over the bytes themselves, at most half full.
 */
export class Dictionary {
  /** Distinct values so far. */
  size = 0
  /** Value `code` is values[offsets[code], offsets[code + 1]). */
  values = new Uint8Array(1024)
  offsets = new Int32Array(65)
  #hashes = new Int32Array(64)
  /** Code + 1 by place; 0 is free. */
  #places = new Int32Array(128)

  /** The code of bytes[start, end), which joins if it is new. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOf(bytes, start, end)
    const place = this.#placeOf(bytes, start, end, hash)
    const code = this.#places[place]! - 1
    return code >= 0 ? code : this.#add(bytes, start, end, hash, place)
  }

  /** The code of bytes[start, end), or -1 where it has none. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return this.#places[this.#placeOf(bytes, start, end, hashOf(bytes, start, end))]! - 1
  }

  /** Forgets all values. */
  clear(): void {
    this.size = 0
    this.#places.fill(0)
  }

  /** The place where the value is, or the free one where it would be. */
  #placeOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const places = this.#places
    const mask = places.length - 1
    let place = hash & mask
    while (places[place] !== 0) {
      const code = places[place]! - 1
      if (this.#hashes[code] === hash && this.#equals(code, bytes, start, end)) return place
      place = (place + 1) & mask
    }
    return place
  }

  #equals(code: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.offsets[code]!
    if (this.offsets[code + 1]! - from !== end - start) return false
    const values = this.values
    for (let i = 0; i < end - start; i++) if (values[from + i] !== bytes[start + i]) return false
    return true
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, place: number): number {
    const code = this.size++
    const from = this.offsets[code]!
    this.values = doubledBytes(this.values, from + end - start)
    this.offsets = doubledInts(this.offsets, code + 2)
    this.#hashes = doubledInts(this.#hashes, code + 1)
    copyBytes(bytes, start, end, this.values, from)
    this.offsets[code + 1] = from + end - start
    this.#hashes[code] = hash
    this.#places[place] = code + 1
    if (2 * this.size > this.#places.length) this.#rehash()
    return code
  }

  #rehash(): void {
    const places = new Int32Array(this.#places.length * 2)
    const mask = places.length - 1
    for (let code = 0; code < this.size; code++) {
      let place = this.#hashes[code]! & mask
      while (places[place] !== 0) place = (place + 1) & mask
      places[place] = code + 1
    }
    this.#places = places
  }
}

/** FNV-1a, and its high bits mixed into the low ones that choose the place. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let p = start; p < end; p++) hash = Math.imul(hash ^ bytes[p]!, 0x01000193)
  return hash ^ (hash >>> 15)
}
