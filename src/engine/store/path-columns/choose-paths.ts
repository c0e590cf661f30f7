import { MAX_INTEGER, MAX_VALUE_BYTES, MAX_VALUES } from '../../../wasm-layout/path-interner.js'
import type { FieldPath, Keys } from '../../execute/columns/field-path.js'

/** The most paths of the metadata that are looked at, and the most members of an object. */
const MAX_NODES = 2_000
const MAX_MEMBERS = 256
/** A column has a value for at least so many of the sampled rows. */
const MIN_ROWS = 2
/** The mean number of sampled rows with the same value, at least. */
const MIN_REPEATS = 2

/** Begins a list among texts. */
const LIST = '\0'

/** The values of some rows at a path. */
interface PathNode {
  keys: Keys
  /** Rows with a value that is neither an object nor a list with an object first. */
  values: number
  /** The distinct texts, numbers and truth values. A list is its JSON behind a byte that no text begins with. */
  distinct: Set<string | number | boolean>
  /** Whether all values are integers up to {@link MAX_INTEGER}. */
  areIntegers: boolean
  /** Whether the values cannot have a column: one is too long, or there are too many. */
  isUnfit: boolean
  /** Rows with an object or a list. */
  containers: number
  /** Undefined if the objects have too many different keys, as ids are. */
  members: Map<string, PathNode> | undefined
}

/**
 * Returns the paths of the metadata with values that repeat, and the paths of objects and of lists, which an unnest
 * counts by their elements. The paths of most rows come first. `texts` are the metadata of some rows.
 */
export function choosePaths(texts: Iterable<string>): FieldPath[] {
  const sample = { nodes: 0 }
  const root = nodeOf([])
  for (const text of texts) addValue(root, JSON.parse(text), sample)
  const found: { path: FieldPath; rows: number }[] = []
  const visit = (node: PathNode) => {
    const { keys, values, containers } = node
    if (containers >= MIN_ROWS) found.push({ path: { keys, isCount: true }, rows: containers })
    if (repeats(node)) found.push({ path: { keys, isCount: false }, rows: values })
    node.members?.forEach(visit)
  }
  visit(root)
  return found.sort((a, b) => b.rows - a.rows).map(({ path }) => path)
}

function nodeOf(keys: Keys): PathNode {
  const members = new Map()
  return { keys, values: 0, distinct: new Set(), areIntegers: true, isUnfit: false, containers: 0, members }
}

function repeats({ values, distinct, areIntegers, isUnfit }: PathNode): boolean {
  if (isUnfit || values < MIN_ROWS || distinct.size * MIN_REPEATS > values) return false
  return areIntegers || distinct.size <= MAX_VALUES
}

/** A path leads through an object, and through a list with an object as the first element. */
function addValue(node: PathNode, value: unknown, sample: { nodes: number }): void {
  if (value === null) return
  if (typeof value !== 'object') {
    addScalar(node, value as string | number | boolean)
    return
  }
  node.containers++
  const first = Array.isArray(value) ? value[0] : value
  if (typeof first === 'object' && first !== null && !Array.isArray(first)) addMembers(node, first, sample)
  else addDistinct(node, LIST + JSON.stringify(value), false)
}

function addScalar(node: PathNode, value: string | number | boolean): void {
  const isInteger = typeof value === 'number' && value >= 0 && value <= MAX_INTEGER && Number.isInteger(value)
  addDistinct(node, value, isInteger)
}

function addDistinct(node: PathNode, value: string | number | boolean, isInteger: boolean): void {
  node.values++
  if (node.isUnfit) return
  node.areIntegers &&= isInteger
  const isLong = typeof value === 'string' && value.length > MAX_VALUE_BYTES
  node.distinct.add(value)
  node.isUnfit = isLong || (node.distinct.size > MAX_VALUES && !node.areIntegers)
  if (node.isUnfit) node.distinct.clear()
}

function addMembers(node: PathNode, object: object, sample: { nodes: number }): void {
  for (const key in object) {
    const { members } = node
    if (members === undefined) return
    // A lone surrogate is U+FFFD in a key that a path names.
    const wellFormed = key.toWellFormed()
    let member = members.get(wellFormed)
    if (member === undefined) {
      if (members.size >= MAX_MEMBERS) {
        sample.nodes -= nodesBelow(node)
        node.members = undefined
        return
      }
      if (sample.nodes >= MAX_NODES) continue
      sample.nodes++
      member = nodeOf([...node.keys, wellFormed])
      members.set(wellFormed, member)
    }
    addValue(member, (object as Record<string, unknown>)[key], sample)
  }
}

function nodesBelow({ members }: PathNode): number {
  let nodes = 0
  members?.forEach((member) => {
    nodes += 1 + nodesBelow(member)
  })
  return nodes
}
