import type { Part } from './finder.js'

/** Returns the parts of a text that the first group of an expression matches, which ends where the match ends. */
export function partsOf(expression: RegExp, text: string): Part[] {
  const parts: Part[] = []
  for (const match of text.matchAll(expression)) {
    const end = match.index + match[0].length
    parts.push({ start: end - match[1]!.length, end })
  }
  return parts
}
