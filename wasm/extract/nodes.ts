/**
 * Nodes of the tree of paths. src/wasm-layout/path-tree.ts describes the part that the host writes. After it, each node
 * has the data for the search for a key (see keys.ts), and its value in the current text.
 */
import { IS_WANTED, NODE_BYTES, SUBTREE_END } from '../../src/wasm-layout/path-tree'

/** Places in a node: the start of its value, 0 if absent; the end of a container, 0 until it is known. */
const START: usize = 16
const END: usize = 20
/** Place of the filter for the keys of the children: 8 bytes. */
export const FILTER: usize = 24
/** Place of the last bytes of the key: 8 bytes. */
export const TAIL: usize = 32
/** Place of a mask for these bytes: 8 bytes. */
export const TAIL_MASK: usize = 40
/** Places of the value for the host, set at the end of a text. */
const KIND: usize = 48
const VALUE_START: usize = 52
const VALUE_END: usize = 56
/** Place of the address of the child with the key that is likely the next. */
export const EXPECTED: usize = 60

/** Result of a search: there is no such node. */
export const NO_NODE: usize = 0

/** A node without children, for containers without wanted keys. Its value is never read. */
export const NOBODY: usize = memory.data(64, 16)

/** Initialises NOBODY: its subtree is itself. */
export function prepareNobody(): void {
  store<u32>(NOBODY + SUBTREE_END, <u32>(NOBODY + NODE_BYTES))
}

/** Returns the address after the last node of the subtree. */
// @ts-ignore: decorator
@inline
export function subtreeEnd(node: usize): usize {
  return load<u32>(node, SUBTREE_END)
}

/** Returns the address of the first child, which is `subtreeEnd` if there is none. */
// @ts-ignore: decorator
@inline
export function firstChild(node: usize): usize {
  return node + NODE_BYTES
}

/** Returns whether the value of the node is wanted. */
// @ts-ignore: decorator
@inline
export function isWanted(node: usize): bool {
  return load<u32>(node, IS_WANTED) != 0
}

/** Forgets all values below `root`, and sets the start of its own value. */
export function beginValues(root: usize, start: usize): void {
  const last = subtreeEnd(root)
  for (let node = root; node < last; node += NODE_BYTES) store<u32>(node, 0, START)
  beginValue(root, start)
}

/** Sets the start of a node's value. The values in an earlier value of an equal key are absent. */
// @ts-ignore: decorator
@inline
export function beginValue(node: usize, start: usize): void {
  if (load<u32>(node, START) != 0) {
    const last = subtreeEnd(node)
    for (let child = firstChild(node); child < last; child += NODE_BYTES) store<u32>(child, 0, START)
  }
  store<u32>(node, <u32>start, START)
  store<u32>(node, 0, END)
}

/** Sets the address after a node's value, an object or a list. */
// @ts-ignore: decorator
@inline
export function endValue(node: usize, end: usize): void {
  store<u32>(node, <u32>end, END)
}

/** Returns the start of the node's value, 0 if it is absent. */
// @ts-ignore: decorator
@inline
export function valueStart(node: usize): usize {
  return load<u32>(node, START)
}

/** Returns the address after the node's value, an object or a list; 0 if it does not end. */
// @ts-ignore: decorator
@inline
export function containerEnd(node: usize): usize {
  return load<u32>(node, END)
}

/** Sets the value of a node for the host. */
// @ts-ignore: decorator
@inline
export function setResult(node: usize, kind: i32, start: usize, end: usize): void {
  store<u32>(node, kind, KIND)
  store<u32>(node, <u32>start, VALUE_START)
  store<u32>(node, <u32>end, VALUE_END)
}

/** Returns the kind of the value for the host. */
// @ts-ignore: decorator
@inline
export function kindOf(node: usize): u32 {
  return load<u32>(node, KIND)
}

/** Returns the address of the value for the host. */
// @ts-ignore: decorator
@inline
export function resultStart(node: usize): usize {
  return load<u32>(node, VALUE_START)
}

/** Returns the address after the value for the host. */
// @ts-ignore: decorator
@inline
export function resultEnd(node: usize): usize {
  return load<u32>(node, VALUE_END)
}

/** Copies the value of a node for the host to one place of each of its three columns. */
// @ts-ignore: decorator
@inline
export function copyResult(node: usize, kinds: usize, starts: usize, ends: usize): void {
  store<u8>(kinds, load<u32>(node, KIND))
  store<u32>(starts, load<u32>(node, VALUE_START))
  store<u32>(ends, load<u32>(node, VALUE_END))
}
