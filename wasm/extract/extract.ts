/** Entry point: values of several paths in many texts. The host places everything; see src/engine/execute/fields. */
import { prepareNodes } from './keys'
import { copyResult } from './nodes'
import { setResults } from './values'
import { setStack, walkText } from './walk'

/** The tree of paths, and for each path the address of the node that is its end. */
let root: usize = 0
let ends: usize = 0
/** The number of paths. */
export let paths: u32 = 0

/** Returns the first address that the host may use. */
export function memoryStart(): usize {
  return (__heap_base + 63) & ~63
}

/** Sets the paths: their tree, the node of each path, and a stack for the walk. At least 8 bytes precede each key. */
export function setPaths(tree: usize, nodes: usize, count: u32, stack: usize): void {
  root = tree
  ends = nodes
  paths = count
  setStack(stack)
  prepareNodes(root)
}

/**
 * Reads the paths in `rows` texts; their start and end addresses are at `ranges`. Writes kind, start and end of each
 * value, `paths` values a row. Texts with escapes are decoded to `scratch`, which needs the bytes of all texts.
 */
export function extract(
  ranges: usize,
  rows: u32,
  kinds: usize,
  valueStarts: usize,
  valueEnds: usize,
  scratch: usize,
): void {
  for (const last = ranges + 8 * rows; ranges < last; ranges += 8) {
    scratch = walk(load<u32>(ranges), load<u32>(ranges, 4), scratch)
    for (let path: u32 = 0; path < paths; path++) {
      copyResult(pathEnd(path), kinds++, valueStarts, valueEnds)
      valueStarts += 4
      valueEnds += 4
    }
  }
}

/**
 * Sets the results of the nodes for the text [start, end). Decodes texts with escapes to `scratch`, and returns the
 * address after them.
 */
// @ts-ignore: decorator
@inline
export function walk(start: usize, end: usize, scratch: usize): usize {
  walkText(root, start, end, scratch)
  return setResults(root, end, scratch)
}

/** Returns the node at the end of a path. */
// @ts-ignore: decorator
@inline
export function pathEnd(path: u32): usize {
  return load<u32>(ends + 4 * path)
}
