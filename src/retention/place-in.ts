/**
 * Returns the file and the line of an entry in a section of a TOML file, or at the top level. Returns the line of the
 * section, or the file only, if the entry is not found.
 */
export function placeIn(path: string, text: string, section: string | undefined, name: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const first =
    section === undefined ? 0 : lines.findIndex((line) => line.replaceAll(' ', '').startsWith(`[${section}]`))
  const at = first < 0 ? -1 : lines.findIndex((line, i) => i >= first && hasKey(line, name))
  const line = at < 0 && section !== undefined ? first : at
  return line < 0 ? path : `${path} line ${line + 1}`
}

const hasKey = (line: string, name: string): boolean =>
  [name, JSON.stringify(name), `'${name}'`, `[${name}`].some(
    (key) => line.startsWith(key) && /^\s*[=.\]]/.test(line.slice(key.length)),
  )
