/** Reads a path from a JSON text as section 1 of the contract says, on characters, a value at a time. */

export type FieldValue =
  | { kind: 'absent' }
  | { kind: 'text'; text: string }
  | { kind: 'number' | 'boolean' | 'json'; raw: string }

type Json =
  | { type: 'object'; raw: string; members: [string, Json][] }
  | { type: 'list'; raw: string; elements: Json[] }
  | { type: 'text'; raw: string; text: string }
  | { type: 'scalar'; raw: string }

const ABSENT: FieldValue = { kind: 'absent' }

export function fieldOf(json: string, path: readonly string[]): FieldValue {
  let value: Json = read(json)
  for (const key of path) {
    if (value.type === 'list') {
      if (value.elements.length === 0) return ABSENT
      value = value.elements[0]!
    }
    if (value.type !== 'object') return ABSENT
    const member = value.members.findLast(([name]) => name === key.toWellFormed())
    if (member === undefined) return ABSENT
    value = member[1]
  }
  return resultOf(value)
}

function resultOf(json: Json): FieldValue {
  if (json.type === 'text') return { kind: 'text', text: json.text }
  if (json.type !== 'scalar') return { kind: 'json', raw: json.raw }
  if (json.raw === 'null') return ABSENT
  if (json.raw === 'true' || json.raw === 'false') return { kind: 'boolean', raw: json.raw }
  return Number.isFinite(Number(json.raw)) ? { kind: 'number', raw: json.raw } : ABSENT
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+)/y

function read(json: string): Json {
  let at = 0
  function next(): string {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(json)![1]!
    at = TOKEN.lastIndex
    return token
  }
  function peek(): string {
    const before = at
    const token = next()
    at = before
    return token
  }
  /** Reads items separated by commas, and the closing bracket. */
  function items<T>(close: string, item: () => T): T[] {
    const found: T[] = []
    while (peek() !== close) {
      found.push(item())
      if (peek() === ',') next()
    }
    next()
    return found
  }
  function value(): Json {
    const first = next()
    const start = at - first.length
    if (first === '{') {
      const members = items('}', (): [string, Json] => {
        const key = text(next())
        next()
        return [key, value()]
      })
      return { type: 'object', members, raw: json.slice(start, at) }
    }
    if (first === '[') {
      const elements = items(']', value)
      return { type: 'list', elements, raw: json.slice(start, at) }
    }
    return first[0] === '"' ? { type: 'text', raw: first, text: text(first) } : { type: 'scalar', raw: first }
  }
  return value()
}

const text = (spelled: string): string => (JSON.parse(spelled) as string).toWellFormed()
