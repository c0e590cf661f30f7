/** Returns whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const NODE_MAJOR = Number.parseInt(process.versions.node, 10)

/**
 * Returns whether JSON.parse of this Node version reads a member name correctly: Node 24 sometimes returns another name
 * for a short name with escaped characters (`"\n"`, `"\"\""`). Filters random names that a test parses.
 */
export function isReadRight(name: string): boolean {
  return NODE_MAJOR < 24 || JSON.stringify(name).length === name.length + 2
}
