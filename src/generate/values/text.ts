import type { Random } from './random.js'
import type { TemplateValue, TemplateWriter } from './template-writer.js'

/** Random texts: ASCII that needs no escape in JSON. */

/** Writes 4 random hexadecimal digits. */
export function hex4(out: TemplateWriter): void {
  out.hex4(out.random.word())
}

/** Writes 64 random hexadecimal digits. */
export function hex64(out: TemplateWriter): void {
  for (let words = 0; words < 8; words++) out.hex8(out.random.word())
}

/** Writes a random UUID (RFC 9562, version 4). */
export function uuid(out: TemplateWriter): void {
  const { random } = out
  out.hex8(random.word())
  out.put`-${hex4}-`
  out.hex4(0x4000 | (random.word() & 0x0fff))
  out.put`-`
  out.hex4(0x8000 | (random.word() & 0x3fff))
  out.put`-${hex4}`
  out.hex8(random.word())
}

/** Draws 8 hexadecimal digits. The result writes the same digits each time. */
export function hex8(random: Random): TemplateValue {
  const word = random.word()
  return (out) => out.hex8(word)
}

/** Draws 16 hexadecimal digits. The result writes the same digits each time. */
export function hex16(random: Random): TemplateValue {
  const [high, low] = [random.word(), random.word()]
  return (out) => {
    out.hex8(high)
    out.hex8(low)
  }
}

/** Draws an IPv4 address. The result writes the same address each time. */
export function ipv4(random: Random): TemplateValue {
  const word = random.word()
  return (out) => out.put`${1 + ((word >>> 24) % 223)}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}`
}

const HEX2 = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'))

/** Returns 8 random hexadecimal digits. */
export function hex8Text(random: Random): string {
  const word = random.word()
  return HEX2[word >>> 24] + HEX2[(word >>> 16) & 255] + HEX2[(word >>> 8) & 255] + HEX2[word & 255]
}

/** Returns a random UUID (RFC 9562, version 4). */
export function uuidText(random: Random): string {
  const [a, b, c] = [hex8Text(random), hex8Text(random), hex8Text(random)]
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${'89ab'[random.below(4)]}${c.slice(0, 3)}-${c.slice(4)}\
${hex8Text(random)}`
}

/** Returns `length` random lowercase letters. */
export function letters(random: Random, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(97 + random.below(26))).join('')
}
