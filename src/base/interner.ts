const EMPTY_SLOT = -1
const NEWLINE = 0x0a

/**
 * Distinct byte strings, each with a dense code from 0 in order of first appearance.
 *
 * No JavaScript string is made: the table hashes bytes and compares bytes, so its size is known to the byte. Entry i
 * is `bytes[offsets[i] .. offsets[i + 1] - 1)`; a newline stands behind each, so that a search over all of them
 * at once does not run from one entry into the next.
 */
export class Interner {
  count = 0
  /** Whether an entry holds a newline of its own. */
  hasNewlines = false
  offsets = new Uint32Array(64)
  bytes: Buffer = Buffer.allocUnsafeSlow(1024)
  #slots = new Int32Array(128).fill(EMPTY_SLOT)
  #hashes = new Uint32Array(64)

  /** The code of `source[start .. end)`; a new one where it was not seen before. */
  intern(source: Uint8Array, start: number, end: number): number {
    const hash = hashOf(source, start, end)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let code = this.#slots[slot]!; code !== EMPTY_SLOT; code = this.#slots[slot]!) {
      if (this.#hashes[code] === hash && this.#equals(code, source, start, end)) return code
      slot = (slot + 1) & mask
    }
    this.#slots[slot] = this.count
    return this.#add(hash, source, start, end)
  }

  /** Bytes held, unused room included. */
  get byteLength(): number {
    return this.offsets.byteLength + this.bytes.byteLength + this.#slots.byteLength + this.#hashes.byteLength
  }

  #equals(code: number, source: Uint8Array, start: number, end: number): boolean {
    const from = this.offsets[code]!
    if (this.offsets[code + 1]! - 1 - from !== end - start) return false
    const { bytes } = this
    for (let i = from, j = start; j < end; i++, j++) if (bytes[i] !== source[j]) return false
    return true
  }

  #add(hash: number, source: Uint8Array, start: number, end: number): number {
    const code = this.count++
    const from = this.offsets[code]!
    const to = from + end - start + 1
    if (code + 1 >= this.offsets.length) this.offsets = grown(this.offsets, code + 2)
    if (code >= this.#hashes.length) this.#hashes = grown(this.#hashes, code + 1)
    if (to > this.bytes.length) this.bytes = grownBytes(this.bytes, from, to)
    for (let i = from, j = start; j < end; i++, j++) {
      if ((this.bytes[i] = source[j]!) === NEWLINE) this.hasNewlines = true
    }
    this.bytes[to - 1] = NEWLINE
    this.offsets[code + 1] = to
    this.#hashes[code] = hash
    if (this.count * 2 > this.#slots.length) this.#rehash()
    return code
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(EMPTY_SLOT)
    const mask = slots.length - 1
    for (let code = 0; code < this.count; code++) {
      let slot = this.#hashes[code]! & mask
      while (slots[slot] !== EMPTY_SLOT) slot = (slot + 1) & mask
      slots[slot] = code
    }
    this.#slots = slots
  }
}

/** FNV-1a over the bytes, its high bits folded down, since the table uses the low ones. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

function grown(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(Math.max(length, array.length * 2))
  next.set(array)
  return next
}

function grownBytes(bytes: Buffer, used: number, length: number): Buffer {
  const next = Buffer.allocUnsafeSlow(Math.max(length, bytes.length * 2))
  bytes.copy(next, 0, 0, used)
  return next
}
