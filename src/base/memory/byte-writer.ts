/** Bytes that grow. Numbers are little-endian. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(256)
  length = 0

  /** Removes all bytes, and keeps the memory. */
  clear(): void {
    this.length = 0
  }

  /** The bytes so far, as a view that is valid until the next call. */
  get view(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }

  /** Returns a copy of the bytes so far. */
  copy(): Buffer {
    return Buffer.from(this.view)
  }

  addByte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.length++] = byte
  }

  /** Adds a whole number from 0 to 2^53: seven bits a byte, the lowest first. */
  addCount(count: number): void {
    this.#reserve(8)
    let rest = count
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.length++] = (rest % 0x80) | 0x80
    this.#bytes[this.length++] = rest
  }

  addUint32(value: number): void {
    this.#reserve(4)
    this.length = this.#bytes.writeUInt32LE(value, this.length)
  }

  addDouble(value: number): void {
    this.#reserve(8)
    this.length = this.#bytes.writeDoubleLE(value, this.length)
  }

  /** Adds all values of an array, eight bytes each. */
  addDoubles(values: Float64Array): void {
    this.addBytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
  }

  addBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Adds bytes behind their number. */
  addSized(bytes: Uint8Array): void {
    this.addCount(bytes.length)
    this.addBytes(bytes)
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#bytes.length) return
    const grown = Buffer.allocUnsafeSlow(2 * (this.length + bytes))
    this.#bytes.copy(grown, 0, 0, this.length)
    this.#bytes = grown
  }
}

/** The bytes of a whole number from 0 to 2^53 in {@link ByteWriter.addCount}. */
export function bytesOfCount(count: number): number {
  let bytes = 1
  for (let rest = count; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++
  return bytes
}
