import { isIPv6 } from 'node:net'

/** The groups of an IPv6 address that name the network: a provider gives each customer 64 bits of addresses or more. */
const NETWORK_GROUPS = 4
const GROUPS = 8
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

/**
 * Returns the network of a socket's address, which only a single client uses: an IPv4 address unchanged, also if the
 * address is mapped to IPv6, and the first 64 bits of an IPv6 address. Any other text, such as none for a Unix socket,
 * is returned unchanged.
 */
export function networkOf(address: string): string {
  const [plain] = address.replace(MAPPED, '').split('%') as [string]
  return isIPv6(plain) ? groupsOf(plain).slice(0, NETWORK_GROUPS).join(':') : plain
}

/** Returns the eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [before, after] = address.split('::').map(writtenGroups) as [string[], string[]?]
  if (after === undefined) return before
  return [...before, ...Array<string>(GROUPS - before.length - after.length).fill('0'), ...after]
}

/** Returns the groups of a part of an address. An IPv4 address at the end counts as two groups. */
function writtenGroups(part: string): string[] {
  const groups = part === '' ? [] : part.split(':')
  return groups.flatMap((group) => (group.includes('.') ? [group, group] : Number.parseInt(group, 16).toString(16)))
}
