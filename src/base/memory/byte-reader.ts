/** Reads the bytes that a `ByteWriter` wrote. Each call throws a RangeError if the bytes end before. */
export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  readByte(): number {
    return this.#bytes.readUInt8(this.#at++)
  }

  readCount(): number {
    let count = 0
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.readByte()
      count += (byte & 0x7f) * factor
      if (byte < 0x80) return count
    }
  }

  readUint32(): number {
    const value = this.#bytes.readUInt32LE(this.#at)
    this.#at += 4
    return value
  }

  readDouble(): number {
    const value = this.#bytes.readDoubleLE(this.#at)
    this.#at += 8
    return value
  }

  /** Reads doubles to a new array. */
  readDoubles(count: number): Float64Array {
    const values = new Float64Array(count)
    new Uint8Array(values.buffer).set(this.readBytes(8 * count))
    return values
  }

  /** Returns the next bytes, as a view. */
  readBytes(count: number): Buffer {
    const end = this.#at + count
    if (end > this.#bytes.length) throw new RangeError(`${count} bytes at ${this.#at} of ${this.#bytes.length}`)
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  /** Returns the bytes behind their number, as a view. */
  readSized(): Buffer {
    return this.readBytes(this.readCount())
  }
}
