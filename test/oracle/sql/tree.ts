import { init, parse } from '@guanmingchiu/sqlparser-ts'
import { unsupported, wrong } from './syntax.js'
import { prepareText } from './text.js'

await init()

/** A node of the parser's tree. The types of the parser's package describe another version of the tree. */
export interface Tree {
  readonly [key: string]: Tree
}

/** The kind and the body of a node: `{ "Function": { … } }`, or `"Wildcard"` with an empty body. */
export interface Kind {
  kind: string
  body: Tree
}

/** Whether an optional part of a tree is there. */
export const has = (tree: Tree | undefined | null): tree is Tree => tree !== undefined && tree !== null

/** The elements of a list. An absent list has no elements. */
export const listOf = (tree: Tree | undefined | null): readonly Tree[] =>
  has(tree) ? (tree as unknown as readonly Tree[]) : []

/** The kind of a node. */
export function kindOf(tree: Tree): Kind {
  if (typeof tree === 'string') return { kind: tree, body: {} }
  const [kind = ''] = Object.keys(tree)
  return { kind, body: tree[kind]! }
}

const isEmpty = (tree: Tree) =>
  !has(tree) || String(tree) === 'false' || String(tree) === 'None' || (Array.isArray(tree) && tree.length === 0)

/** Refuses a node that says more than the named parts. */
export function onlyHas(tree: Tree, ...parts: readonly string[]): void {
  const known = new Set([...parts, 'span', 'flavor'])
  const others = Object.entries(tree).filter(
    ([key, part]) => !known.has(key) && !key.endsWith('_token') && !isEmpty(part),
  )
  if (others.length > 0) unsupported()
}

/** The tree of a text of a single query, and the literal texts. The tree refers to a literal text by place. */
export function treeOf(text: string): { tree: Tree; texts: readonly string[] } {
  const { sql, texts } = prepareText(text)
  const statements = parsed(sql)
  if (statements.length !== 1) return wrong()
  const { kind, body } = kindOf(statements[0]!)
  return kind === 'Query' ? { tree: body, texts } : unsupported()
}

function parsed(sql: string): readonly Tree[] {
  try {
    return parse(sql, 'bigquery') as unknown as readonly Tree[]
  } catch {
    return wrong()
  }
}
