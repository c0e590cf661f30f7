import { hash } from 'node:crypto'
import { createYielder } from '../base/time-slices.js'
import type { Row, Value } from '../plan/answer.js'
import { jsonOfField } from '../plan/functions/json-path.js'
import { RawJson } from '../plan/values/values.js'
import type { Cancellation } from './endpoint.js'

/** How often each value of a field occurs, by its JSON text; a value that is not listed by a {@link hiddenKey}. */
type Values = Map<string, number>

/** A field and its values in some rows. */
export interface FieldCount {
  keys: readonly string[]
  /** The rows that have it. */
  count: number
  values: Values
}

/** The fields of a sample of rows. */
export interface SampleCount {
  fields: FieldCount[]
  rows: number
  /** Whether there are more rows than were read. */
  isCut: boolean
}

/** The limits of a sample: memory grows with the bytes and the fields. */
export interface SampleLimits {
  rows: number
  /** Characters of metadata. */
  characters: number
  /** Fields and objects on the way to them; further ones are not counted. */
  nodes: number
  /** Keys on the way to a field. */
  depth: number
}

/** Longer texts, and metadata in which integers beyond 2^53 are read as doubles. */
const MAX_TEXT_CHARACTERS = 200
const MAX_EXACT_CHARACTERS = 16_384

/** A place in the metadata: a field, or an object that leads to others. */
interface Node extends FieldCount {
  children: Map<string, Node>
}

/**
 * Counts the fields of the newest rows and their values. `rows` have the column `metadata`; reads one row more than the
 * sample has, to know whether there are more. Parses in slices of time; rejects with the reason of `signal`.
 */
export async function countFields(
  rows: AsyncIterable<Row>,
  limits: SampleLimits,
  signal?: Cancellation,
): Promise<SampleCount> {
  const yieldIfDue = createYielder(signal)
  const count = createCounter(limits)
  let read = 0
  let characters = 0
  for await (const { metadata } of rows) {
    if (read === limits.rows || characters >= limits.characters)
      return { fields: count.fields(), rows: read, isCut: true }
    const { text } = metadata as RawJson
    count.add(text)
    read++
    characters += text.length
    await yieldIfDue()
  }
  return { fields: count.fields(), rows: read, isCut: false }
}

/** Counts the fields of records; objects that are the first element of a list count as the list. */
function createCounter({ nodes, depth }: SampleLimits) {
  const root = nodeAt([])
  let made = 0

  function childOf(node: Node, key: string): Node | undefined {
    const known = node.children.get(key)
    if (known !== undefined || made === nodes) return known
    made++
    const child = nodeAt([...node.keys, key])
    node.children.set(key, child)
    return child
  }

  function visit(value: unknown, node: Node, json: string): void {
    const first: unknown = Array.isArray(value) ? value[0] : value
    if (isObject(first) && node.keys.length < depth) {
      for (const [key, inner] of Object.entries(first)) {
        const child = isAbsent(inner) ? undefined : childOf(node, key)
        if (child !== undefined) visit(inner, child, json)
      }
      return
    }
    if (node === root) return
    node.count++
    increase(
      node.values,
      keyOfValue(value, () => jsonOfField(json, node.keys)!, json.length),
    )
  }

  return {
    add: (json: string) => visit(JSON.parse(json), root, json),
    fields: () => fieldsBelow(root),
  }
}

const nodeAt = (keys: readonly string[]): Node => ({ keys, count: 0, values: new Map(), children: new Map() })

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A number beyond the range of doubles is an absent value, as everywhere. */
const isAbsent = (value: unknown) => value === null || value === Number.POSITIVE_INFINITY || value === -Infinity

const increase = (values: Values, key: string, by = 1) => void values.set(key, (values.get(key) ?? 0) + by)

function fieldsBelow(node: Node): FieldCount[] {
  const own = node.count > 0 ? [node] : []
  return [...own, ...[...node.children.values()].flatMap(fieldsBelow)]
}

/** The key of a value; `json` returns its JSON text, in a record of that many characters. */
function keyOfValue(value: unknown, json: () => string, characters: number): string {
  if (typeof value === 'object') return hiddenKey(JSON.stringify(value))
  if (typeof value === 'string' && value.length > MAX_TEXT_CHARACTERS) return hiddenKey(value)
  const isExact = typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (isExact || characters > MAX_EXACT_CHARACTERS) return JSON.stringify(value)
  const spelled = json()
  return INTEGER.test(spelled) ? spelled : JSON.stringify(value)
}

const INTEGER = /^-?\d+$/

/** The key of a value that is counted and not listed: no JSON text begins so. */
const hiddenKey = (text: string) => `#${hash('sha256', text, 'base64url')}`

/** The values of one field in all rows, as a group by it has them: rows with the columns `value` and `rows`. */
export async function countGroups(
  groups: AsyncIterable<Row>,
  signal?: Cancellation,
): Promise<Omit<FieldCount, 'keys'> & { rows: number }> {
  const yieldIfDue = createYielder(signal)
  const values: Values = new Map()
  let count = 0
  let rows = 0
  for await (const group of groups) {
    const inGroup = Number(group.rows)
    rows += inGroup
    if (group.value !== null) {
      count += inGroup
      increase(values, keyOfAnswer(group.value!), inGroup)
    }
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
  return { count, rows, values }
}

/** The key of a value of an answer, in which integers beyond 2^53 are JSON texts too. */
function keyOfAnswer(value: Value): string {
  if (!(value instanceof RawJson)) return keyOfValue(value, () => '', Number.POSITIVE_INFINITY)
  return INTEGER.test(value.text) ? value.text : hiddenKey(value.text)
}

/** Returns the most frequent values of those that are listed, as JSON: `[{"value":…,"count":…}, …]`. */
export function topValues(values: Values, most: number): RawJson {
  const listed = [...values].filter(([key]) => !key.startsWith('#'))
  const sorted = listed.sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
  return new RawJson(
    `[${sorted
      .slice(0, most)
      .map(([value, count]) => `{"value":${value},"count":${count}}`)
      .join(',')}]`,
  )
}
