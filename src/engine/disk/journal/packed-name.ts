/** Names of sources in two thirds of their length: a name of 63 characters takes 42 bytes. */

/** The first character, which no name has, fills the last group. */
const CHARACTERS = ' abcdefghijklmnopqrstuvwxyz0123456789_'
const GROUP = 3

/** Returns a name of a-z, 0-9 and _ with three characters in each two bytes, little-endian. */
export function packName(name: string): Uint8Array {
  const groups = name.padEnd(Math.ceil(name.length / GROUP) * GROUP).match(/.{3}/g) ?? []
  const bytes = Buffer.alloc(groups.length * 2)
  for (const [i, group] of groups.entries()) {
    const packed = [...group].reduce((sum, character) => sum * CHARACTERS.length + CHARACTERS.indexOf(character), 0)
    bytes.writeUInt16LE(packed, i * 2)
  }
  return bytes
}

/** Returns the name in bytes of {@link packName}, which zeros may follow. Other bytes give a text that is no name. */
export function unpackName(bytes: Buffer): string {
  let name = ''
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    const packed = bytes.readUInt16LE(at)
    const [first, rest] = [Math.floor(packed / CHARACTERS.length ** 2), packed % CHARACTERS.length ** 2]
    const [second, third] = [Math.floor(rest / CHARACTERS.length), rest % CHARACTERS.length]
    name += [first, second, third].map((digit) => CHARACTERS[digit] ?? '?').join('')
  }
  return name.trimEnd()
}
