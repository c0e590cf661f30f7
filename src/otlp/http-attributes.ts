/** OpenTelemetry's HTTP attributes under the names that queries, charts and the columns of ClickHouse read. */
import type { Value } from './request.js'

type Members = Map<string, Value>

interface Name {
  whole: string
  parts: readonly string[]
}

const named = (...names: string[]) => names.map((whole): Name => ({ whole, parts: whole.split('.') }))

/** Newer names first: semantic conventions 1.21 renamed all of them, and a migrating program sends both. */
const COPIES = [
  { holder: 'request', member: 'method', from: named('http.request.method', 'http.method') },
  { holder: 'request', member: 'url', from: named('url.full', 'http.url') },
  { holder: 'request', member: 'path', from: named('url.path', 'http.target') },
  { holder: 'response', member: 'status_code', from: named('http.response.status_code', 'http.status_code') },
] as const

/**
 * Adds `request.method`, `request.url`, `request.path` and `response.status_code` to attributes that {@link objectOf} made.
 * Keeps what is set, and leaves out members whose holder is not an object.
 */
export function addHttpMembers(attributes: Members): void {
  for (const { holder, member, from } of COPIES) {
    const value = firstOf(attributes, from)
    if (value !== null) addMember(attributes, holder, member, value)
  }
}

function addMember(attributes: Members, holder: string, member: string, value: Value): void {
  if (!attributes.has(holder)) attributes.set(holder, new Map())
  const members = attributes.get(holder)
  if (members instanceof Map && !members.has(member)) members.set(member, value)
}

function firstOf(attributes: Members, names: readonly Name[]): Value {
  for (const name of names) {
    const value = valueAt(attributes, name)
    if (value !== null) return name.whole === 'http.target' ? pathOf(value) : value
  }
  return null
}

/** At the top by its whole key, which an attribute keeps if its place is taken, or where the dots of its name lead. */
function valueAt(attributes: Members, { whole, parts }: Name): Value {
  const aside = attributes.get(whole)
  if (aside !== undefined) return aside
  let value: Value | undefined = attributes
  for (const part of parts) {
    if (!(value instanceof Map)) return null
    value = value.get(part)
  }
  return value ?? null
}

/** The old name's value has the query too. */
const pathOf = (target: Value) => (typeof target === 'string' ? target.replace(/[?#].*/s, '') : target)
