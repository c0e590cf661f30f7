/** Converts attributes to nested objects, which queries read, and to JSON. */
import type { Attributes, Value } from './request.js'

/** Maximum of parts that become objects. A key with more parts stays whole. */
const MAX_PARTS = 32

/**
 * Returns the attributes as a single object. A dot in a key means a nested object, which is where queries look for hot
 * fields. Keys with fewer parts are placed first, and nothing is replaced: if the place of an attribute is occupied,
 * the attribute is stored at the top under the whole key, with `#2`, `#3` and so on appended if the whole key is
 * occupied too. Keys inside of a value are not split.
 */
export function nestAttributes(attributes: Attributes): Map<string, Value> {
  const top = new Map<string, Value>()
  const entries = [...new Map(attributes)].map(([key, value]) => ({ key, value, parts: splitKey(key) }))
  entries.sort((a, b) => a.parts.length - b.parts.length)
  for (const { key, value, parts } of entries) {
    const parent = ensureParent(top, parts)
    if (parent === undefined) putAtTop(top, key, value)
    else putOrMerge(top, parent, parts.at(-1)!, value, key)
  }
  return top
}

/** Splits a key at the dots. A key with an empty part, or with too many parts, stays whole. */
function splitKey(key: string): string[] {
  if (!key.includes('.')) return [key]
  const parts = key.split('.', MAX_PARTS + 1)
  return parts.length > MAX_PARTS || parts.includes('') ? [key] : parts
}

/**
 * Returns the object for the last part, created if absent. Undefined if a value that is not an object is in the way.
 */
function ensureParent(top: Map<string, Value>, parts: readonly string[]): Map<string, Value> | undefined {
  let parent = top
  for (const part of parts.slice(0, -1)) {
    if (!parent.has(part)) parent.set(part, new Map())
    const next = parent.get(part)
    if (!(next instanceof Map)) return undefined
    parent = next
  }
  return parent
}

/** Stores a value at the top under the whole key, with a number appended if the key exists. */
function putAtTop(top: Map<string, Value>, key: string, value: Value): void {
  let name = key
  for (let number = 2; top.has(name); number++) name = `${key}#${number}`
  top.set(name, value)
}

/** Merges two objects with the same place. Any other second value is stored at the top under the whole key. */
function putOrMerge(
  top: Map<string, Value>,
  parent: Map<string, Value>,
  name: string,
  value: Value,
  key: string,
): void {
  const existing = parent.get(name)
  if (!parent.has(name)) parent.set(name, value)
  else if (existing instanceof Map && value instanceof Map) {
    for (const [inner, innerValue] of value) putOrMerge(top, existing, inner, innerValue, `${key}.${inner}`)
  } else putAtTop(top, key, value)
}

/**
 * Returns a value as JSON. Integers keep all digits. NaN and the infinities become strings, as in protobuf's JSON
 * mapping. Bytes become base64.
 */
export function toJson(value: Value): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : `"${value}"`
  if (value instanceof Uint8Array)
    return `"${Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')}"`
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`
  return value instanceof Map ? `{${membersJson(value)}}` : JSON.stringify(value)
}

/** Returns the members of an object as JSON, without braces. */
export function membersJson(object: ReadonlyMap<string, Value>): string {
  const members: string[] = []
  for (const [name, value] of object) members.push(`${JSON.stringify(name)}:${toJson(value)}`)
  return members.join(',')
}
