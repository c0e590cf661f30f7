/** Copies OpenTelemetry's HTTP attributes to the names that queries, charts and ClickHouse's columns read. */
import type { Value } from './request.js'

type Attributes = Map<string, Value>

/** A name of an attribute, whole and split at the dots. */
interface Name {
  whole: string
  parts: readonly string[]
}

const attributeNames = (...names: string[]) => names.map((whole): Name => ({ whole, parts: whole.split('.') }))

/** Newer names come first: semantic conventions 1.21 renamed all attributes, and a migrating program sends both. */
const COPIES = [
  { parent: 'request', member: 'method', from: attributeNames('http.request.method', 'http.method') },
  { parent: 'request', member: 'url', from: attributeNames('url.full', 'http.url') },
  { parent: 'request', member: 'path', from: attributeNames('url.path', 'http.target') },
  { parent: 'response', member: 'status_code', from: attributeNames('http.response.status_code', 'http.status_code') },
] as const

/**
 * Adds `request.method`, `request.url`, `request.path` and `response.status_code` to the result of {@link
 * nestAttributes}. Never replaces a member, and adds none if `request` or `response` is not an object.
 */
export function addHttpMembers(attributes: Attributes): void {
  for (const { parent, member, from } of COPIES) {
    const value = firstValue(attributes, from)
    if (value !== null) addMember(attributes, parent, member, value)
  }
}

function addMember(attributes: Attributes, parent: string, member: string, value: Value): void {
  if (!attributes.has(parent)) attributes.set(parent, new Map())
  const members = attributes.get(parent)
  if (members instanceof Map && !members.has(member)) members.set(member, value)
}

function firstValue(attributes: Attributes, names: readonly Name[]): Value {
  for (const name of names) {
    const value = findValue(attributes, name)
    if (value !== null) return name.whole === 'http.target' ? stripQuery(value) : value
  }
  return null
}

/**
 * Finds an attribute at the top under the whole key, for attributes with an occupied place, or in the objects that
 * the dots name.
 */
function findValue(attributes: Attributes, { whole, parts }: Name): Value {
  const atTop = attributes.get(whole)
  if (atTop !== undefined) return atTop
  let value: Value | undefined = attributes
  for (const part of parts) {
    if (!(value instanceof Map)) return null
    value = value.get(part)
  }
  return value ?? null
}

/** `http.target` is the path with the query. */
const stripQuery = (target: Value) => (typeof target === 'string' ? target.replace(/[?#].*/s, '') : target)
