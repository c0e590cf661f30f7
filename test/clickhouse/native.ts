/** One column of a block in ClickHouse's format Native: its values as the format has them, null map first where there is one. */
export interface NativeColumn {
  name: string
  type: string
  data: Uint8Array
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128)
  return Buffer.from([...bytes, value])
}

/** A string as the format has it, alone or as a value of a column. */
export function nativeText(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([varint(bytes.length), bytes])
}

/** Values of a column of Int64. */
export function nativeInt64(values: readonly bigint[]): Buffer {
  return Buffer.from(BigInt64Array.from(values).buffer)
}

/** Values of a column of Nullable(Float64). */
export function nativeNullableFloat64(values: readonly (number | null)[]): Buffer {
  const nulls = Buffer.from(values.map((value) => (value === null ? 1 : 0)))
  return Buffer.concat([nulls, Buffer.from(Float64Array.from(values, (value) => value ?? 0).buffer)])
}

/** A block, written here by hand so that the tests do not share a mistake with the code that they test. */
export function nativeBlock(columns: readonly NativeColumn[], rows: number): Buffer {
  const written = columns.flatMap(({ name, type, data }) => [nativeText(name), nativeText(type), data])
  return Buffer.concat([varint(columns.length), varint(rows), ...written])
}
