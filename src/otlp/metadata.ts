/** Attributes as the objects that queries read. */
import type { Attributes, Value } from './request.js'

/** A key of more parts stays as it is. */
const MAX_PARTS = 32

/**
 * The attributes as one object: dots in a key lead into objects within it, which is where the hot fields of a record are
 * looked for. Keys of fewer parts come first, and what has a place keeps it: a key that would replace something stays as
 * it is, dots and all, or with `#2` and so on behind it where that is taken as well. Keys inside of a value stay as they are.
 */
export function objectOf(attributes: Attributes): Map<string, Value> {
  const top = new Map<string, Value>()
  const placed = [...new Map(attributes)].map(([key, value]) => ({ key, value, parts: partsOf(key) }))
  placed.sort((a, b) => a.parts.length - b.parts.length)
  for (const { key, value, parts } of placed) {
    const holder = holderOf(top, parts)
    if (holder === undefined) putAside(top, key, value)
    else put(top, holder, parts.at(-1)!, value, key)
  }
  return top
}

/** The parts of a key; an empty one leads nowhere. */
function partsOf(key: string): string[] {
  if (!key.includes('.')) return [key]
  const parts = key.split('.', MAX_PARTS + 1)
  return parts.length > MAX_PARTS || parts.includes('') ? [key] : parts
}

/** The object that holds the last part, made where it is not there; undefined where something else is in its place. */
function holderOf(top: Map<string, Value>, parts: readonly string[]): Map<string, Value> | undefined {
  let holder = top
  for (const part of parts.slice(0, -1)) {
    if (!holder.has(part)) holder.set(part, new Map())
    const next = holder.get(part)
    if (!(next instanceof Map)) return undefined
    holder = next
  }
  return holder
}

/** At the top, by the whole key. */
function putAside(top: Map<string, Value>, key: string, value: Value): void {
  let name = key
  for (let number = 2; top.has(name); number++) name = `${key}#${number}`
  top.set(name, value)
}

/** Objects are joined; of anything else the later one goes to the top, by its whole key. */
function put(top: Map<string, Value>, holder: Map<string, Value>, name: string, value: Value, key: string): void {
  const held = holder.get(name)
  if (!holder.has(name)) holder.set(name, value)
  else if (held instanceof Map && value instanceof Map) {
    for (const [inner, innerValue] of value) put(top, held, inner, innerValue, `${key}.${inner}`)
  } else putAside(top, key, value)
}

/**
 * A value as JSON. Integers keep their digits; NaN and the infinities, for which JSON has no number, are texts, as
 * protobuf's mapping has it; bytes are base64.
 */
export function jsonOf(value: Value): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : `"${value}"`
  if (value instanceof Uint8Array)
    return `"${Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')}"`
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`
  return value instanceof Map ? `{${membersOf(value)}}` : JSON.stringify(value)
}

/** The members of an object as JSON, without its braces. */
export function membersOf(object: ReadonlyMap<string, Value>): string {
  const members: string[] = []
  for (const [name, value] of object) members.push(`${JSON.stringify(name)}:${jsonOf(value)}`)
  return members.join(',')
}
