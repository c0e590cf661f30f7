/**
 * Rows as the text that the service sent. A parsed row would lose digits of numbers, white space, escapes, names that
 * are given twice, and the order of names that are digits.
 */

/** Returns the rows of an answer `{"result":[row, …]}`, each as JSON. */
export function rowsIn(body: string): string[] {
  const rows: string[] = []
  let at = afterSpace(body, body.indexOf('[') + 1)
  while (body[at] === '{') {
    const end = endOfValue(body, at)
    rows.push(body.slice(at, end))
    at = afterSpace(body, end)
    if (body[at] === ',') at = afterSpace(body, at + 1)
  }
  return rows
}

/** Returns the members of a JSON object, each as JSON. If a name is given twice, the last value counts. */
export function membersIn(row: string): Map<string, string> {
  const members = new Map<string, string>()
  let at = afterSpace(row, row.indexOf('{') + 1)
  while (row[at] === '"') {
    const nameEnd = endOfValue(row, at)
    const start = afterSpace(row, afterSpace(row, nameEnd) + 1)
    const end = endOfValue(row, start)
    members.set(JSON.parse(row.slice(at, nameEnd)) as string, row.slice(start, end))
    at = afterSpace(row, end)
    if (row[at] === ',') at = afterSpace(row, at + 1)
  }
  return members
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  return at
}

/** Returns the index after the value that begins at `start`. */
function endOfValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return endOfString(text, start)
  return first === '{' || first === '[' ? endOfContainer(text, start) : endOfWord(text, start)
}

function endOfContainer(text: string, start: number): number {
  const sign = /["{}[\]]/g
  let depth = 0
  for (let at = start; ; ) {
    sign.lastIndex = at
    const found = sign.exec(text)
    if (found === null) return text.length
    at = found.index + 1
    if (found[0] === '"') at = endOfString(text, found.index)
    else depth += found[0] === '{' || found[0] === '[' ? 1 : -1
    if (depth === 0) return at
  }
}

/** A number, a boolean or null. */
function endOfWord(text: string, start: number): number {
  const sign = /[,\]}\s]/g
  sign.lastIndex = start
  return sign.exec(text)?.index ?? text.length
}

function endOfString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from)
    if (end < 0) return text.length
    let first = end
    while (text[first - 1] === '\\') first--
    // A quote after an even number of backslashes ends the string.
    if ((end - first) % 2 === 0) return end + 1
    from = end + 1
  }
}
