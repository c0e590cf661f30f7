import type { ByteReader } from '../../../base/memory/byte-reader.js'
import type { ByteWriter } from '../../../base/memory/byte-writer.js'
import type { Moment } from '../../../base/time/moment.js'
import { CivilDate, Datetime, isTime, RawJson, type Scalar, Timestamp } from '../../../plan/values/values.js'

// Unlike `KeyBytes`, in which equal values have equal bytes, these bytes keep the sign of zero, the difference between
// a double and an equal integer of 64 bits, and every value of a list.

const [NULL, FALSE, TRUE, NUMBER, BIG, TIMESTAMP, DATETIME, DATE] = [0, 1, 2, 3, 4, 5, 6, 7]
const [TEXT, UTF16, JSON_TEXT, LIST] = [8, 9, 10, 11]

/** Appends a value: a tag for its type, then the value. */
export function writeScalar(value: Scalar, out: ByteWriter): void {
  if (value === null) out.addByte(NULL)
  else if (typeof value === 'boolean') out.addByte(value ? TRUE : FALSE)
  else if (typeof value === 'number' || typeof value === 'bigint') writeNumber(value, out)
  else if (typeof value === 'string') writeText(value, out)
  else if (value instanceof RawJson) {
    out.addByte(JSON_TEXT)
    out.addSized(Buffer.from(value.text))
  } else if (isTime(value)) writeTime(value, out)
  else {
    out.addByte(LIST)
    out.addCount(value.length)
    for (const element of value) writeScalar(element, out)
  }
}

function writeNumber(value: number | bigint, out: ByteWriter): void {
  if (typeof value === 'number') {
    out.addByte(NUMBER)
    out.addDouble(value)
    return
  }
  out.addByte(BIG)
  out.addSized(Buffer.from(String(value), 'latin1'))
}

/** UTF-8 has no bytes for half of a surrogate pair. */
function writeText(text: string, out: ByteWriter): void {
  const isWellFormed = text.isWellFormed()
  out.addByte(isWellFormed ? TEXT : UTF16)
  out.addSized(Buffer.from(text, isWellFormed ? 'utf8' : 'utf16le'))
}

function writeTime(value: Timestamp | Datetime | CivilDate, out: ByteWriter): void {
  out.addByte(value instanceof Timestamp ? TIMESTAMP : value instanceof Datetime ? DATETIME : DATE)
  writeNumber(value instanceof CivilDate ? value.days : value.us, out)
}

/** Returns the value of the next bytes. */
export function readScalar(bytes: ByteReader): Scalar {
  const tag = bytes.readByte()
  switch (tag) {
    case NULL:
      return null
    case FALSE:
    case TRUE:
      return tag === TRUE
    case NUMBER:
      return bytes.readDouble()
    case BIG:
      return BigInt(bytes.readSized().toString('latin1'))
    case TIMESTAMP:
      return new Timestamp(readScalar(bytes) as Moment)
    case DATETIME:
      return new Datetime(readScalar(bytes) as Moment)
    case DATE:
      return new CivilDate(readScalar(bytes) as number)
    case TEXT:
    case UTF16:
      return bytes.readSized().toString(tag === TEXT ? 'utf8' : 'utf16le')
    case JSON_TEXT:
      return new RawJson(bytes.readSized().toString())
    case LIST:
      return Array.from({ length: bytes.readCount() }, () => readScalar(bytes))
    default:
      throw new RangeError(`No value has the tag ${tag}.`)
  }
}
