import { createYielder } from '../base/scheduling/time-slices.js'
import type { Row, Value } from '../plan/answer.js'
import { jsonOfField } from '../plan/functions/json-path.js'
import {
  addUnsafeNumber,
  addValue,
  isUnsafe,
  type Listed,
  noValues,
  type ValueCounts,
} from '../plan/values/value-counts.js'
import { RawJson } from '../plan/values/values.js'
import type { Cancellation } from './endpoint.js'

/** A field and the values of the field in some rows. */
export interface FieldCount {
  keys: readonly string[]
  /** The rows that have the field. */
  count: number
  values: ValueCounts
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
  /** Fields and the objects on the way to the fields. Further fields and objects are not counted. */
  nodes: number
  /** Keys on the way to a field. */
  depth: number
}

/** In longer metadata, integers beyond 2^53 are read as doubles. */
const MAX_EXACT_CHARACTERS = 16_384

/** A place in the metadata: a field, an object that leads to others, or both in different rows. */
interface Node extends FieldCount {
  children: Map<string, Node>
  /** The rows of `count` in which the place is an object, of which the fields are listed. */
  objects: number
}

/**
 * Counts the fields of the newest rows and their values. `rows` have the column `metadata`. Reads a row more than the
 * sample has, to know whether there are more rows. A field is a place that is a value in any row. The count of a field
 * is the number of rows for which the filter `exists` holds, so rows in which the place is an object count too. Parses
 * in slices of time. Rejects with the reason of `signal`.
 */
export async function countFields(
  rows: AsyncIterable<Row>,
  limits: SampleLimits,
  signal?: Cancellation,
): Promise<SampleCount> {
  const yieldIfDue = createYielder(signal)
  const count = createCounter(limits)
  const texts: string[] = []
  let characters = 0
  let isCut = false
  for await (const { metadata } of rows) {
    isCut = texts.length === limits.rows || characters >= limits.characters
    if (isCut) break
    const { text } = metadata as RawJson
    count.add(text)
    texts.push(text)
    characters += text.length
    await yieldIfDue()
  }
  for (const text of count.hasMixed() ? texts : []) {
    count.addObjects(text)
    await yieldIfDue()
  }
  return { fields: count.fields(), rows: texts.length, isCut }
}

/** Counts the fields of records. Objects that are the first element of a list count as the list. */
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

  /** Returns the object that has the fields below a place as members, or undefined if the place is a value. */
  function membersOf(value: unknown, node: Node): Members | undefined {
    const first: unknown = Array.isArray(value) ? value[0] : value
    return isObject(first) && node.keys.length < depth ? first : undefined
  }

  function visit(value: unknown, node: Node, json: string): void {
    const members = membersOf(value, node)
    if (members === undefined && node === root) return
    node.count++
    if (members !== undefined) {
      node.objects++
      for (const key of Object.keys(members)) {
        const inner = members[key]
        const child = isAbsent(inner) ? undefined : childOf(node, key)
        if (child !== undefined) visit(inner, child, json)
      }
      return
    }
    if (!isUnsafe(value)) addValue(node.values, listedOf(value))
    else addUnsafeNumber(node.values, value, json.length > MAX_EXACT_CHARACTERS ? '' : jsonOf(json, node))
  }

  /** Adds the objects in a record that are the value of a field. Called once all fields are known. */
  function visitObjects(value: unknown, node: Node): void {
    const members = membersOf(value, node)
    if (members === undefined) return
    if (isField(node) && node !== root) addValue(node.values, listedOf(value))
    for (const [key, child] of node.children) {
      if (child.objects > 0 && Object.hasOwn(members, key)) visitObjects(members[key], child)
    }
  }

  return {
    add: (json: string) => visit(JSON.parse(json), root, json),
    /** Whether a field is an object in some rows. */
    hasMixed: () => fieldsBelow(root).some(({ objects }) => objects > 0),
    addObjects: (json: string) => visitObjects(JSON.parse(json), root),
    fields: () => fieldsBelow(root),
  }
}

const nodeAt = (keys: readonly string[]): Node => {
  return { keys, count: 0, objects: 0, values: noValues(), children: new Map() }
}
const isField = ({ count, objects }: Node) => count > objects
/** The value that JSON.parse returned, objects and lists as JSON again. */
const listedOf = (value: unknown) =>
  typeof value === 'object' ? new RawJson(JSON.stringify(value)) : (value as Listed)

const jsonOf = (json: string, { keys }: Node) => jsonOfField(json, keys)!

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A number beyond the range of doubles is an absent value, as everywhere. */
const isAbsent = (value: unknown) => value === null || value === Number.POSITIVE_INFINITY || value === -Infinity

function fieldsBelow(node: Node): Node[] {
  const own = isField(node) ? [node] : []
  return [...own, ...[...node.children.values()].flatMap(fieldsBelow)]
}

/**
 * Counts the values of a field in all rows. `groups` are the rows grouped by the field, with columns `value` and
 * `rows`.
 */
export async function countGroups(
  groups: AsyncIterable<Row>,
  signal?: Cancellation,
): Promise<Omit<FieldCount, 'keys'> & { rows: number }> {
  const yieldIfDue = createYielder(signal)
  const values = noValues()
  let count = 0
  let rows = 0
  for await (const group of groups) {
    const inGroup = Number(group.rows)
    rows += inGroup
    if (group.value !== null) {
      count += inGroup
      addAnswer(values, group.value!, inGroup)
    }
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
  return { count, rows, values }
}

/** Counts a value of an answer, in which integers beyond 2^53 are JSON texts too. */
function addAnswer(values: ValueCounts, value: Exclude<Value, null>, by: number): void {
  const isInteger = value instanceof RawJson && INTEGER.test(value.text)
  addValue(values, isInteger ? BigInt(value.text) : value, by)
}

const INTEGER = /^-?\d+$/
