import { MAX_DEPTH } from '../../../wasm-layout/field-table.js'
import {
  FRAME_BYTES,
  FRAMES_PER_LEVEL,
  IS_WANTED,
  KEY,
  KEY_BYTES,
  NODE_BYTES,
  SUBTREE_END,
} from '../../../wasm-layout/path-tree.js'

/** Keys from the metadata object down to a value. The path without keys is the metadata itself. */
export type Path = readonly string[]

/** No text is deep enough for a value at a path of that many keys. Longer paths are cut. */
const MAX_KEYS = MAX_DEPTH + 1

/** A tree of paths for the extractor: a node for each distinct prefix, each before its children. */
export interface PathTree {
  /** The paths from which the tree was made. */
  readonly paths: readonly Path[]
  readonly nodes: readonly Node[]
  /** The keys of the nodes, adjacent, as UTF-8. */
  readonly keys: Uint8Array
  /** The number of the node at the end of each path. */
  readonly ends: readonly number[]
  /** Bytes of the stack that a walk needs. */
  readonly stackBytes: number
}

interface Node {
  /** Range of the node's key in `keys`. */
  readonly keyStart: number
  readonly keyEnd: number
  /** The number of the first node after its subtree. */
  readonly subtreeEnd: number
  /** Whether the node is the end of a path. */
  readonly isWanted: boolean
}

/** A node while the tree grows. */
interface Branch {
  readonly children: Map<string, Branch>
  /** The paths that end here, by number. */
  readonly paths: number[]
}

/** Returns the tree of some paths. Paths may repeat, and a path may be the start of another path. */
export function createPathTree(paths: readonly Path[]): PathTree {
  const root = emptyBranch()
  for (const [number, path] of paths.entries()) branchOf(root, path).paths.push(number)
  const nodes: Node[] = []
  const ends: number[] = []
  const keys: Buffer[] = []
  let keyStart = 0
  function add({ children, paths }: Branch, key: string): void {
    const number = nodes.length
    const bytes = Buffer.from(key)
    keys.push(bytes)
    for (const path of paths) ends[path] = number
    const node = { keyStart, keyEnd: (keyStart += bytes.length), subtreeEnd: 0, isWanted: paths.length > 0 }
    nodes.push(node)
    for (const [childKey, child] of children) add(child, childKey)
    node.subtreeEnd = nodes.length
  }
  add(root, '')
  const levels = 1 + Math.max(0, ...paths.map((path) => Math.min(path.length, MAX_KEYS)))
  return { paths, nodes, keys: Buffer.concat(keys), ends, stackBytes: levels * FRAMES_PER_LEVEL * FRAME_BYTES }
}

const emptyBranch = (): Branch => ({ children: new Map(), paths: [] })

function branchOf(root: Branch, path: Path): Branch {
  let branch = root
  for (const key of path.slice(0, MAX_KEYS)) {
    // A lone surrogate becomes U+FFFD in UTF-8, as in a decoded key.
    const wellFormed = key.toWellFormed()
    const child = branch.children.get(wellFormed) ?? emptyBranch()
    branch.children.set(wellFormed, child)
    branch = child
  }
  return branch
}

/** Writes the nodes to the start of a view at the address `at`, and refers to their keys at the address `keysAt`. */
export function writeNodes({ nodes }: PathTree, view: DataView, at: number, keysAt: number): void {
  for (const [number, { keyStart, keyEnd, subtreeEnd, isWanted }] of nodes.entries()) {
    const node = number * NODE_BYTES
    for (let place = 0; place < NODE_BYTES; place += 8) view.setBigUint64(node + place, 0n, true)
    view.setUint32(node + KEY, keysAt + keyStart, true)
    view.setUint32(node + KEY_BYTES, keyEnd - keyStart, true)
    view.setUint32(node + SUBTREE_END, at + subtreeEnd * NODE_BYTES, true)
    view.setUint32(node + IS_WANTED, isWanted ? 1 : 0, true)
  }
}
