/**
 * Layout of a tree of paths: a node for each distinct prefix of the paths, depth first, each node before the children.
 * The root is the prefix without keys. Places are in bytes from the node.
 */

/** Bytes of a node. The host sets all bytes to zero, but for the four places below. */
export const NODE_BYTES = 64
/** Place of the address of the node's key, the last key of the node's prefix: UTF-8. */
export const KEY = 0
/** Place of the number of bytes of that key. */
export const KEY_BYTES = 4
/** Place of the address after the last node of the subtree. */
export const SUBTREE_END = 8
/** Place of a number that is 1 if the node is the end of a path, so that the value is wanted, else 0. */
export const IS_WANTED = 12

/** Bytes of an entry of the stack of the walk. */
export const FRAME_BYTES = 8
/** Entries of that stack for each level of the tree: a list, and the object that is the list's first element. */
export const FRAMES_PER_LEVEL = 2
