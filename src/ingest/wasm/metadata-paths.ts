import { METADATA_CONTEXT, PATHS } from '../../wasm-layout/field-table.js'

/** The keys that lead to a field: a path below a record's metadata. */
export type Path = readonly string[]

/** The paths that the scanner looks for, as a trie. wasm/scan/paths.ts registers the keys. */
export interface MetadataPaths {
  /** Each key once, a key before the keys below. */
  keys: readonly PathKey[]
  /** Returns the number of the field at a path. Throws a TypeError if the path is not in the trie. */
  fieldAt(path: Path): number
}

/** A key of the trie. */
interface PathKey {
  name: string
  /** The context that has the key, and the context of the objects that are its values, 0 if no path goes on there. */
  parent: number
  context: number
  /** The number of the field that the key leads to, -1 if no path ends there. */
  field: number
  /** The fields at and below the key: the first field, and the number of fields. */
  first: number
  count: number
}

/** A node that is being built: the objects at a path. */
interface Node {
  isField: boolean
  below: Map<string, Node>
}

/** Merges paths to a trie and numbers their fields from PATHS on, depth first. Equal paths are the same field. */
export function createMetadataPaths(paths: Iterable<Path>): MetadataPaths {
  const root = createNode()
  for (const path of paths) {
    let node = root
    for (const key of path) {
      const next = node.below.get(key) ?? createNode()
      node.below.set(key, next)
      node = next
    }
    node.isField = true
  }
  const keys: PathKey[] = []
  const fields = new Map<string, number>()
  let contexts = METADATA_CONTEXT

  function add(node: Node, parent: number, path: Path): void {
    for (const [name, child] of node.below) {
      const whole = [...path, name]
      const first = PATHS + fields.size
      if (child.isField) fields.set(JSON.stringify(whole), first)
      const context = child.below.size === 0 ? 0 : ++contexts
      const key: PathKey = { name, parent, context, field: child.isField ? first : -1, first, count: 0 }
      keys.push(key)
      add(child, context, whole)
      key.count = PATHS + fields.size - first
    }
  }
  add(root, METADATA_CONTEXT, [])
  return { keys, fieldAt: (path) => fields.get(JSON.stringify(path)) ?? noSuchPath(path) }
}

const createNode = (): Node => ({ isField: false, below: new Map() })

function noSuchPath(path: Path): never {
  throw new TypeError(`The scanner does not look for ${path.join('.')}.`)
}
