import { createHash } from 'node:crypto'

/** The namespace of endpoints that have a name but no id. Never changed. */
const NAMESPACE = 'f97ccd42-d358-4cd7-85cf-2b93b5cfcf34'

/** Returns the UUID of an endpoint's name: version 5 (RFC 9562, section 5.5), the same for the same name. */
export function uuidOfName(name: string): string {
  const namespace = Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex')
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16)
  bytes[6] = (bytes[6] & 0x0f) | 0x50
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
