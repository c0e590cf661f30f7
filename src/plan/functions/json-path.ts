import { textOfUnits } from '../../base/text/utf16.js'

/** A step of a JSON path: a key of an object, or a place in a list. */
export type JsonStep = string | number

/** The most steps of a path, and keys of a field: no stored JSON value has more levels. */
export const MAX_STEPS = 128

const STEP = /\.([A-Za-z_][\w-]*)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\.?"((?:[^"\\]|\\.)*)"|\[(\d+)\]/y

/** Reads a JSON path, as `$.a.b[0]['c d']`. Undefined if the text is no path. */
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

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 44, 91, 93, 123, 125]

/**
 * Returns the JSON text at a path of a JSON text, with its spelling, or undefined if the path leads nowhere. If a key
 * occurs more than once, the last value counts. The text must be valid JSON. Reads each character once.
 */
export function jsonAt(json: string, steps: readonly JsonStep[]): string | undefined {
  return find(json, steps, false)
}

/**
 * Returns the JSON text of a field: the value at a path of keys, with its spelling, or undefined if the path leads
 * nowhere. On the way an object that is the first element of a list counts as the list, the whole text too.
 */
export function jsonOfField(json: string, keys: readonly string[]): string | undefined {
  return find(json, keys, true)
}

/** A place in a text: the start of a value, or the place just behind a value. */
type Place = number

function find(json: string, steps: readonly JsonStep[], looksIntoLists: boolean): string | undefined {
  let found: { start: Place; end: Place } | undefined

  /** Finds the value at the rest of the path, from step `depth` on, in the value at a place. Returns its end. */
  function visit(start: Place, depth: number): Place {
    if (depth === steps.length) {
      const end = endOf(json, start)
      found = { start, end }
      return end
    }
    const isList = json.charCodeAt(start) === OPEN_LIST
    if (looksIntoLists && isList)
      return eachMember(json, start, (at, _, index) => (index === 0 ? members(at, depth) : at))
    return members(start, depth)
  }

  /** The same in the members of a container. The caller finds the end of a value without members. */
  function members(start: Place, depth: number): Place {
    const step = steps[depth]
    const isKey = typeof step === 'string'
    if (json.charCodeAt(start) !== (isKey ? OPEN_OBJECT : OPEN_LIST)) return start
    const spelled = isKey ? JSON.stringify(step) : ''
    return eachMember(json, start, (at, keyAt, index) => {
      if (isKey ? !isKeyAt(json, keyAt, step, spelled) : index !== step) return at
      // An earlier key of the same name does not count.
      found = undefined
      return visit(at, depth + 1)
    })
  }

  visit(skipSpace(json, 0), 0)
  return found && json.slice(found.start, found.end)
}

/** Whether the text with the quote at a place is a key. `spelled` is the JSON of the key. */
function isKeyAt(json: string, at: Place, key: string, spelled: string): boolean {
  const text = json.slice(at, endOfText(json, at))
  return text === spelled || (text.includes('\\') && JSON.parse(text) === key)
}

/** Returns the place of the next character that is not white space of JSON. */
function skipSpace(json: string, from: Place): Place {
  let at = from
  while (isSpace(json.charCodeAt(at))) at++
  return at
}

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13)

/**
 * Calls `visit` with the place of each value in a container, the place of the value's key (in an object), and the
 * number of the value. `visit` returns the end of the value if `visit` has read the value, else the given place.
 * Returns the end of the container.
 */
function eachMember(json: string, start: Place, visit: (at: Place, keyAt: Place, index: number) => Place): Place {
  const isObject = json.charCodeAt(start) === OPEN_OBJECT
  const close = isObject ? CLOSE_OBJECT : CLOSE_LIST
  let next = skipSpace(json, start + 1)
  for (let index = 0; next < json.length && json.charCodeAt(next) !== close; index++) {
    const keyAt = next
    if (isObject) next = skipSpace(json, skipSpace(json, endOfText(json, next)) + 1)
    const end = visit(next, keyAt, index)
    next = skipSpace(json, end === next ? endOf(json, next) : end)
    if (json.charCodeAt(next) === COMMA) next = skipSpace(json, next + 1)
  }
  return Math.min(next + 1, json.length)
}

/** Returns a valid JSON text without white space between tokens. */
export function compactJson(json: string): string {
  if (!SPACE.test(json)) return json
  // Code units of the result: a text of a megabyte has half a million parts between white space.
  const units = new Uint16Array(json.length)
  let length = 0
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (isSpace(code)) {
      at++
      continue
    }
    const end = code === QUOTE ? endOfText(json, at) : at + 1
    for (; at < end; at++) units[length++] = json.charCodeAt(at)
  }
  return textOfUnits(units, length)
}

const SPACE = /[ \t\n\r]/

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
  while (json.charCodeAt(before - 1) === BACKSLASH) before--
  return (at - before) % 2 === 1
}

/** Where the value that starts at a place ends. */
function endOf(json: string, at: Place): Place {
  const first = json.charCodeAt(at)
  if (first === QUOTE) return endOfText(json, at)
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) return endOfAtom(json, at)
  let depth = 0
  for (let i = at; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) i = endOfText(json, i) - 1
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++
    else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return i + 1
  }
  return json.length
}

/** The end of a number, true, false or null. */
function endOfAtom(json: string, at: Place): Place {
  let end = at
  for (; end < json.length; end++) {
    const code = json.charCodeAt(end)
    if (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT || code <= 32) return end
  }
  return end
}

/** The keys of an object in order, each with the JSON text of its value. A key that occurs twice is returned twice. */
export function membersOfJson(json: string): [key: string, value: string][] {
  const members: [string, string][] = []
  eachMember(json, skipSpace(json, 0), (at, keyAt) => {
    const end = endOf(json, at)
    members.push([JSON.parse(json.slice(keyAt, endOfText(json, keyAt))), json.slice(at, end)])
    return end
  })
  return members
}

/** The JSON texts of the elements of a list. */
export function elementsOfJson(json: string): string[] {
  const elements: string[] = []
  eachMember(json, skipSpace(json, 0), (at) => {
    const end = endOf(json, at)
    elements.push(json.slice(at, end))
    return end
  })
  return elements
}
