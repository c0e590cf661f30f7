import { createHash } from 'node:crypto'

/** Returns the UUID of a name in a namespace: version 5 (RFC 9562, section 5.5), the same for the same name. */
export function uuid5(namespace: string, name: string): string {
  const prefix = Buffer.from(namespace.replaceAll('-', ''), 'hex')
  const bytes = createHash('sha1').update(prefix).update(name).digest().subarray(0, 16)
  bytes[6] = (bytes[6] & 0x0f) | 0x50
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
