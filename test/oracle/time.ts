export type Unit = 'second' | 'minute' | 'hour' | 'day'

/** Returns the start of a bucket, by the calendar of Date. */
export function bucketStart(timestampUs: number, unit: Unit): number {
  const date = new Date(Math.floor(timestampUs / 1000))
  date.setUTCMilliseconds(0)
  if (unit !== 'second') date.setUTCSeconds(0)
  if (unit === 'hour' || unit === 'day') date.setUTCMinutes(0)
  if (unit === 'day') date.setUTCHours(0)
  return date.getTime() * 1000
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/

/**
 * Parses an ISO 8601 time of the contract's section 3 to µs, by Date and BigInt. Returns undefined if the time is
 * invalid.
 */
export function isoUs(text: string): bigint | undefined {
  const match = ISO.exec(text)
  if (match === null) return undefined
  const [, day, minute = '00:00', second = '00', fraction = '', offset = 'Z'] = match
  const date = new Date(`${day}T${minute}:${second}.000Z`)
  // Date reads February 30 as March 2, and hour 24 as the next day: formatting the result again shows that.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== `${day}T${minute}:${second}.000Z`) return undefined
  const shift = offsetMinutes(offset)
  if (shift === undefined) return undefined
  return BigInt(date.getTime()) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6)) - BigInt(shift) * 60_000_000n
}

function offsetMinutes(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return undefined
  return (hours * 60 + minutes) * (offset.startsWith('-') ? -1 : 1)
}

/** Groups items by key, in their order. */
export function groupBy<T, Key>(items: readonly T[], keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    groups.has(key) ? groups.get(key)!.push(item) : groups.set(key, [item])
  }
  return groups
}
