/** Characters that may be base64. */
const BASE64 = /[A-Za-z0-9+/]{2,}/g
/** Bytes for each character of base64. */
const BYTES_PER_CHARACTER = 3 / 4
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gs
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/**
 * Whether a text has a name: as it is, with escapes of JSON, also of JSON in a text of JSON, or in base64. The text
 * is not parsed, since it need not be JSON. Takes time in proportion to the text.
 */
export function mentions(text: string, name: string): boolean {
  let plain = text
  // A record in a text of JSON has its escapes escaped.
  for (let depth = 0; depth < DEPTH; depth++) {
    if (hasName(plain, name)) return true
    if (!plain.includes('\\')) return false
    plain = plain.replace(ESCAPE, (_, hex?: string, character?: string) =>
      hex === undefined ? (CONTROLS[character!] ?? character!) : String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return hasName(plain, name)
}

const DEPTH = 3

function hasName(text: string, name: string): boolean {
  if (text.includes(name)) return true
  const bytes = Buffer.from(name)
  for (const [run] of text.matchAll(BASE64)) {
    if (run.length * BYTES_PER_CHARACTER < bytes.length) continue
    if (Buffer.from(run, 'base64').includes(bytes)) return true
  }
  return false
}
