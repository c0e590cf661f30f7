/** One step of a JSON path: a key of an object, or a place in a list. */
export type JsonStep = string | number

const STEP = /\.([A-Za-z_][\w-]*)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\.?"((?:[^"\\]|\\.)*)"|\[(\d+)\]/y

/** Reads a JSON path, as `$.a.b[0]['c d']`; undefined if it is none. */
export function readJsonPath(path: string): JsonStep[] | undefined {
  if (!path.startsWith('$')) return undefined
  const steps: JsonStep[] = []
  for (STEP.lastIndex = 1; STEP.lastIndex < path.length; ) {
    const match = STEP.exec(path)
    if (match === null) return undefined
    const [, name, single, double, quoted, place] = match
    steps.push(place === undefined ? (name ?? (single ?? double ?? quoted)!.replace(/\\(.)/gs, '$1')) : Number(place))
  }
  return steps
}

const SPACE = /[ \t\n\r]*/y
const ATOM = /[^\s,\]}]+/y

/**
 * Returns the JSON text at a path of a JSON text, as it is spelled there; undefined if the path leads nowhere. If a key
 * occurs more than once, the last one counts. The text must be valid JSON; its depth is bounded by the caller.
 */
export function jsonAt(json: string, steps: readonly JsonStep[]): string | undefined {
  let start = skip(SPACE, json, 0)
  for (const step of steps) {
    const found = typeof step === 'number' ? findPlace(json, start, step) : findKey(json, start, step)
    if (found === undefined) return undefined
    start = found
  }
  return json.slice(start, endOf(json, start))
}

/**
 * Returns the JSON text of a field: the value at a path of keys, as it is spelled there; undefined if the path leads
 * nowhere. On the way an object that is the first element of a list counts as the list, the whole text too.
 */
export function jsonOfField(json: string, keys: readonly string[]): string | undefined {
  let start = skip(SPACE, json, 0)
  for (const key of keys) {
    const object = json[start] === '[' ? skip(SPACE, json, start + 1) : start
    const found = findKey(json, object, key)
    if (found === undefined) return undefined
    start = found
  }
  return json.slice(start, endOf(json, start))
}

/** Where the text that a pattern matches at a place ends. */
function skip(pattern: RegExp, json: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(json) ? pattern.lastIndex : at
}

/** Calls `visit` with the start of each key (of an object) and value in a container, until it returns true. */
function eachMember(json: string, at: number, visit: (valueAt: number, keyAt: number) => void): void {
  const isObject = json[at] === '{'
  const close = isObject ? '}' : ']'
  let next = skip(SPACE, json, at + 1)
  while (next < json.length && json[next] !== close) {
    const keyAt = next
    if (isObject) next = skip(SPACE, json, skip(SPACE, json, endOfText(json, next)) + 1)
    visit(next, keyAt)
    next = skip(SPACE, json, endOf(json, next))
    if (json[next] === ',') next = skip(SPACE, json, next + 1)
  }
}

function findKey(json: string, at: number, key: string): number | undefined {
  if (json[at] !== '{') return undefined
  let found: number | undefined
  eachMember(json, at, (valueAt, keyAt) => {
    if (JSON.parse(json.slice(keyAt, endOfText(json, keyAt))) === key) found = valueAt
  })
  return found
}

function findPlace(json: string, at: number, place: number): number | undefined {
  if (json[at] !== '[') return undefined
  let found: number | undefined
  let index = 0
  eachMember(json, at, (valueAt) => {
    if (index++ === place) found = valueAt
  })
  return found
}

/**
 * Returns the position behind the JSON text that begins with the quote at `at`: behind the next quote with an even
 * number of backslashes before it.
 */
export function endOfText(json: string, at: number): number {
  let end = json.indexOf('"', at + 1)
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end < 0 ? json.length : end + 1
}

function isEscaped(json: string, at: number): boolean {
  let before = at
  while (json[before - 1] === '\\') before--
  return (at - before) % 2 === 1
}

/** Where the value that starts at a place ends. */
function endOf(json: string, at: number): number {
  const first = json[at]
  if (first === '"') return endOfText(json, at)
  if (first !== '{' && first !== '[') return skip(ATOM, json, at)
  let depth = 0
  for (let i = at; i < json.length; i++) {
    const character = json[i]
    if (character === '"') i = endOfText(json, i) - 1
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return i + 1
  }
  return json.length
}

/** The JSON texts of the elements of a list. */
export function elementsOfJson(json: string): string[] {
  const elements: string[] = []
  eachMember(json, skip(SPACE, json, 0), (valueAt) => elements.push(json.slice(valueAt, endOf(json, valueAt))))
  return elements
}
