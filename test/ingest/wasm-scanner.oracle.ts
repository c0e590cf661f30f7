/**
 * The expected result of scanning a line, derived with JSON.parse only, and the actual result in the same form. Bytes
 * are read as Latin-1, a character per byte, since a scanner does not check UTF-8.
 */

import type { Scanner } from '../../src/ingest/wasm/scanner.js'
import { LINE_INTS, MAX_DEPTH } from '../../src/wasm-layout/field-table.js'
import { FIELD, KIND, METADATA_PATHS, OUTCOME, slotOf } from './field-table.js'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A row of the field table, with values instead of offsets. */
export interface Reading {
  text: string
  outcome: number
  fields: { [name: string]: { kind: number; value: Json } }
}

export function expectedReading(text: string): Reading {
  const { outcome, record } = classify(text)
  return { text, outcome, fields: outcome === OUTCOME.ok ? expectedFields(record) : {} }
}

function classify(text: string): { outcome: number; record?: Json } {
  if (/^[ \t\r]*$/.test(text)) return { outcome: OUTCOME.blank }
  const tooDeep = closeWhereTooDeep(text)
  const record = parse(tooDeep ?? text)
  if (record === undefined) return { outcome: OUTCOME.invalidJson }
  if (tooDeep !== undefined) return { outcome: OUTCOME.tooDeep }
  return isObject(record) ? { outcome: OUTCOME.ok, record } : { outcome: OUTCOME.notAnObject }
}

/**
 * Cuts the text in the first container that is too deep, and closes all containers. The result is JSON, if there is no
 * fault before.
 */
function closeWhereTooDeep(text: string): string | undefined {
  const closers: string[] = []
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '}' || token === ']') closers.pop()
    if (token === '{' || token === '[') closers.push(token === '{' ? '}' : ']')
    if (closers.length > MAX_DEPTH) return text.slice(0, index + 1) + closers.reverse().join('')
  }
  return undefined
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function expectedFields(record: Json | undefined): Reading['fields'] {
  const metadata = firstObject(child(record, 'metadata'))
  // Other fields of the record are merged into the metadata, unless the metadata has a field of the same name.
  const merged = (key: string) => child(isObject(metadata) && Object.hasOwn(metadata, key) ? metadata : record, key)
  const values: Record<string, Json | undefined> = {}
  for (const name of ['source', 'id', 'timestamp', 'project', 'event_message', 'metadata', 'message'])
    values[name] = child(record, name)
  for (const path of METADATA_PATHS) {
    const [top, ...below] = path
    const outer = top === 'project' ? child(metadata, top) : merged(top!)
    values[`metadata.${path.join('.')}`] = below.reduce((value, key) => child(firstObject(value), key), outer)
  }
  const present = Object.entries(values).filter((entry): entry is [string, Json] => (entry[1] ?? null) !== null)
  return Object.fromEntries(present.map(([name, value]) => [name, { kind: kindOf(value), value }]))
}

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const firstObject = (value: Json | undefined): Json | undefined => (Array.isArray(value) ? value[0] : value)

const child = (value: Json | undefined, key: string): Json | undefined => (isObject(value) ? value[key] : undefined)

/** Returns the kind of a value. JSON.parse does not show whether a string has escapes: `readField` checks that. */
function kindOf(value: Json): number {
  if (Array.isArray(value)) return value.every(isObject) ? KIND.arrayOfObjects : KIND.array
  if (isObject(value)) return KIND.object
  return { string: KIND.string, number: KIND.number, boolean: KIND.boolean }[typeof value as string]!
}

/** Reads a row of the scanner's table, without the fields if the line is refused. Throws if the row is inconsistent. */
export function readLine({ bytes, table }: Scanner, row: number): Reading {
  const [outcome, start, end] = table.subarray(row * LINE_INTS)
  const fields: Reading['fields'] = {}
  if (outcome !== OUTCOME.ok) return { text: latin1(bytes, start!, end!), outcome: outcome!, fields }
  for (const [name, field] of Object.entries(FIELD)) {
    const at = row * LINE_INTS + slotOf(field)
    const [kind, from, to] = [table[at]!, table[at + 1]!, table[at + 2]!]
    if (kind !== KIND.absent) fields[name] = readField(kind, latin1(bytes, from, to))
    else if (from !== 0 || to !== 0) throw new Error(`${name} is absent and has a range`)
  }
  return { text: latin1(bytes, start!, end!), outcome: outcome!, fields }
}

function readField(kind: number, text: string): { kind: number; value: Json } {
  const isString = kind === KIND.string || kind === KIND.escapedString
  if (!isString) return { kind, value: JSON.parse(text.match(/^\S(.*\S)?$/s)![0]) }
  if (text.includes('\\') !== (kind === KIND.escapedString)) throw new Error(`wrong kind of string: ${text}`)
  return { kind: KIND.string, value: JSON.parse(`"${text}"`) }
}

const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
