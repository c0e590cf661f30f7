import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

/** The most bytes of a varint. */
const VARINT_BYTES = 10
/** The most bytes of 32 bits, and the greatest value of the last byte. */
const [BYTES_OF_32_BITS, LAST_BITS] = [5, 0x0f]

/**
 * Reads the wire format of protobuf. The reader of @bufbuild/protobuf cuts a length to 32 bits, so that bytes after a
 * wrong length are taken for the value, and skips a varint of any size. This reader throws an Error.
 */
export class StrictReader extends BinaryReader {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super(bytes)
    this.#bytes = bytes
    this.uint32 = this.#readUint32
  }

  /** Reads an unsigned varint, as a length or a tag. Throws if the number exceeds 32 bits. */
  #readUint32(): number {
    let number = 0
    for (let i = 0; i < VARINT_BYTES; i++) {
      const byte = this.#nextByte()
      const bits = byte & 0x7f
      if (bits > (i < BYTES_OF_32_BITS - 1 ? 0x7f : i < BYTES_OF_32_BITS ? LAST_BITS : 0))
        throw new Error('a length or a tag exceeds 32 bits')
      if (i < BYTES_OF_32_BITS) number |= bits << (7 * i)
      if (byte < 0x80) return number >>> 0
    }
    throw tooLong()
  }

  /** Reads a signed varint. A negative number is sent with 64 bits, of which protobuf reads the lower 32. */
  override int32(): number {
    return Number(BigInt.asIntN(32, BigInt(this.int64())))
  }

  override skip(wireType: WireType, field?: number, recursionLimit?: number): Uint8Array {
    if (wireType !== WireType.Varint) return super.skip(wireType, field, recursionLimit)
    const start = this.pos
    for (let i = 0; this.#nextByte() >= 0x80; i++) if (i === VARINT_BYTES - 1) throw tooLong()
    return this.#bytes.subarray(start, this.pos)
  }

  #nextByte(): number {
    const byte = this.#bytes[this.pos++]
    if (byte === undefined) throw new RangeError('premature EOF')
    return byte
  }
}

const tooLong = () => new Error(`a varint has over ${VARINT_BYTES} bytes`)
