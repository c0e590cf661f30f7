/** Returns the text of the first `length` code units. Texts of Latin letters alone take a byte for each. */
export function textOfUnits(units: Uint16Array, length = units.length): string {
  let bits = 0
  for (let i = 0; i < length; i++) bits |= units[i]
  const { buffer, byteOffset } = units
  if (bits > 0xff) return Buffer.from(buffer, byteOffset, 2 * length).toString('utf16le')
  return Buffer.from(units.subarray(0, length)).toString('latin1')
}
