/** Returns the parts, `bytes` long together, concatenated in a new buffer of exactly that length. */
export function concatBytes(parts: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(bytes)
  let offset = 0
  for (const part of parts) {
    result.set(part, offset)
    offset += part.byteLength
  }
  return result
}
