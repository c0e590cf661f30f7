import type { ColumnView } from '../../../arrow-ipc/read-batch.js'

/** A column of a block: the values, in the form of an Arrow column. */
export interface NativeColumn extends ColumnView {
  type: string
}

/** Rows in ClickHouse's Native format, by column. */
export interface NativeBlock {
  rows: number
  columns: ReadonlyMap<string, NativeColumn>
}

/**
 * Decodes blocks of ClickHouse's Native format (the reverse of `toNative`), one after the other. Throws a RangeError if
 * the blocks end too early, and a TypeError on a type that no query of this engine selects.
 */
export function* readNative(bytes: Buffer): Generator<NativeBlock, void> {
  const cursor = createCursor(bytes)
  while (!cursor.isAtEnd()) {
    const [columns, rows] = [cursor.varint(), cursor.varint()]
    const read = new Map<string, NativeColumn>()
    for (let i = 0; i < columns; i++) {
      const [name, type] = [cursor.text(), cursor.text()]
      read.set(name, { type, ...readColumn(cursor, type, rows) })
    }
    yield { rows, columns: read }
  }
}

/** Returns the same rows from the last to the first. */
export function reversedBlock({ rows, columns }: NativeBlock): NativeBlock {
  return { rows, columns: new Map([...columns].map(([name, column]) => [name, reversed(column, rows)])) }
}

function reversed(column: NativeColumn, rows: number): NativeColumn {
  const { nullCount, nullBitmap, values, valueOffsets } = column
  const order = Array.from({ length: rows }, (_, i) => rows - 1 - i)
  const isNull = (row: number) => (nullCount > 0 && (nullBitmap[row >> 3] & (1 << (row & 7))) === 0 ? 1 : 0)
  const nulls = nullCount === 0 ? { nullCount, nullBitmap } : readNulls(Uint8Array.from(order, isNull))
  if (valueOffsets.length === 0) return { ...column, ...nulls, values: inOrder(values, values.length / rows, order) }
  const texts = order.map((row) => (values as Uint8Array).subarray(valueOffsets[row], valueOffsets[row + 1]))
  const ends = new Int32Array(rows + 1)
  for (const [i, { length }] of texts.entries()) ends[i + 1] = ends[i] + length
  return { ...column, ...nulls, values: Buffer.concat(texts), valueOffsets: ends }
}

/** Rows of `width` values each in another order. */
function inOrder<T extends ColumnView['values']>(values: T, width: number, order: readonly number[]): T {
  const ordered = values.slice() as T
  for (const [i, row] of order.entries()) ordered.set(values.subarray(row * width, (row + 1) * width), i * width)
  return ordered
}

type Cursor = ReturnType<typeof createCursor>

const NO_BYTES = new Uint8Array(0)
const NO_OFFSETS = new Int32Array(0)
const NULLABLE = /^Nullable\((.*)\)$/

function readColumn(cursor: Cursor, type: string, rows: number): ColumnView {
  const [, inner] = NULLABLE.exec(type) ?? []
  const nulls = inner === undefined ? { nullCount: 0, nullBitmap: NO_BYTES } : readNulls(cursor.bytes(rows))
  return { ...nulls, ...readValues(cursor, inner ?? type, rows) }
}

/** Returns the bitmap of values that are present, given a byte for each row, which is 1 for an absent value. */
function readNulls(isNull: Uint8Array): Pick<ColumnView, 'nullCount' | 'nullBitmap'> {
  const nullBitmap = new Uint8Array((isNull.length + 7) >> 3)
  let nullCount = 0
  for (let row = 0; row < isNull.length; row++) {
    if (isNull[row] === 0) nullBitmap[row >> 3] |= 1 << (row & 7)
    else nullCount++
  }
  return { nullCount, nullBitmap }
}

function readValues(cursor: Cursor, type: string, rows: number): Pick<ColumnView, 'values' | 'valueOffsets'> {
  switch (type) {
    case 'String':
      return cursor.texts(rows)
    case 'Int64':
    case 'UInt64':
      return { values: new Uint32Array(cursor.copy(8 * rows)), valueOffsets: NO_OFFSETS }
    case 'Float64':
      return { values: new Float64Array(cursor.copy(8 * rows)), valueOffsets: NO_OFFSETS }
    case 'UInt32':
      return { values: new Uint32Array(cursor.copy(4 * rows)), valueOffsets: NO_OFFSETS }
    case 'UInt8':
      return { values: new Uint8Array(cursor.copy(rows)), valueOffsets: NO_OFFSETS }
    default:
      throw new TypeError(`Cannot read a column of the type ${type}.`)
  }
}

function createCursor(buffer: Buffer) {
  let at = 0

  function bytes(length: number): Buffer {
    if (at + length > buffer.length) throw new RangeError('The answer of ClickHouse ends too early.')
    at += length
    return buffer.subarray(at - length, at)
  }

  function varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      if (at >= buffer.length) throw new RangeError('The answer of ClickHouse ends too early.')
      const byte = buffer[at++]
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }

  return {
    isAtEnd: () => at >= buffer.length,
    bytes,
    varint,
    text: () => bytes(varint()).toString(),
    /** A copy, in memory that numbers can be read from. */
    copy(length: number): ArrayBuffer {
      const copied = new Uint8Array(length)
      copied.set(bytes(length))
      return copied.buffer
    },
    texts(rows: number) {
      const valueOffsets = new Int32Array(rows + 1)
      const start = at
      for (let row = 0; row < rows; row++) {
        const length = varint()
        bytes(length)
        valueOffsets[row + 1] = valueOffsets[row] + length
      }
      const values = Buffer.allocUnsafe(valueOffsets[rows])
      at = start
      for (let row = 0; row < rows; row++) {
        const length = varint()
        values.set(bytes(length), valueOffsets[row])
      }
      return { values, valueOffsets }
    },
  }
}
