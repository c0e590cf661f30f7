/** A column of a block in ClickHouse's format Native: the bytes of the values, after the null map if any. */
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

/** Encodes a string, alone or as a value of a column. */
export function nativeText(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([varint(bytes.length), bytes])
}

/** Encodes the values of an Int64 column. */
export function nativeInt64(values: readonly bigint[]): Buffer {
  return Buffer.from(BigInt64Array.from(values).buffer)
}

/** Encodes the values of a Nullable(Float64) column. */
export function nativeNullableFloat64(values: readonly (number | null)[]): Buffer {
  const nulls = Buffer.from(values.map((value) => (value === null ? 1 : 0)))
  return Buffer.concat([nulls, Buffer.from(Float64Array.from(values, (value) => value ?? 0).buffer)])
}

/** Encodes a block, independently of the tested code, so that both cannot share a mistake. */
export function nativeBlock(columns: readonly NativeColumn[], rows: number): Buffer {
  const written = columns.flatMap(({ name, type, data }) => [nativeText(name), nativeText(type), data])
  return Buffer.concat([varint(columns.length), varint(rows), ...written])
}
