/** One pass over a JSON value that finds its end and, where it is a record, which of its fields it has. */
import { BACKSLASH, latin1, NEWLINE, RETURN, SPACE, TAB } from './bytes.js'

/**
 * What is known of the object walked over last. A null counts as absent, of equal keys the last wins. Whether it is JSON
 * is not told: that is for the scanner to judge.
 */
export interface Facts {
  hasSource: boolean
  /** At the top, and as text in the metadata or their first element: `project`, `project_ref`. */
  hasOwnProject: boolean
  hasMetadataProject: boolean
  hasMetadataRef: boolean
  hasEventMessage: boolean
  /** Where the text of a key begins and ends; -1 where there is none. That of `message` only where it is not null. */
  eventMessageAt: number
  messageAt: number
  messageEnd: number
  /** Where the array begins that is called `batch`; -1 where there is none. */
  batchAt: number
}

export const createFacts = (): Facts => clear({} as Facts)

function clear(facts: Facts): Facts {
  facts.hasSource = facts.hasOwnProject = facts.hasMetadataProject = facts.hasMetadataRef = false
  facts.hasEventMessage = false
  facts.eventMessageAt = facts.messageAt = facts.messageEnd = facts.batchAt = -1
  return facts
}

/** What {@link endOfValue} gives for a value that does not end. */
export const ENDLESS = -1

export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d
export const OPEN_ARRAY = 0x5b
export const CLOSE_ARRAY = 0x5d
export const COMMA = 0x2c
const COLON = 0x3a
const QUOTE = 0x22
const LOWER_N = 0x6e
/** Makes brackets braces, and of the bytes that matter here no other one anything. */
const CASE_BIT = 0x20

/**
 * The end of the value that begins at `start`, or ENDLESS where it has none before `limit`. Fills `facts` where it is an
 * object. Makes it one line: of line breaks, those in strings become carriage returns, which JSON forbids there as well,
 * the others spaces.
 */
export function endOfValue(bytes: Uint8Array, start: number, limit: number, facts: Facts): number {
  const first = bytes[start]
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfContainer(bytes, start, limit, clear(facts))
  if (first !== QUOTE) return endOfScalar(bytes, start, limit)
  const quote = closingQuote(bytes, start + 1, limit)
  return quote < 0 ? ENDLESS : quote + 1
}

/** Brackets are counted, not matched: where a line is JSON they do match. */
function endOfContainer(bytes: Uint8Array, start: number, limit: number, facts: Facts): number {
  let depth = 0
  /** The level of the metadata's members; 0 outside of them. */
  let metadataDepth = 0
  for (let p = start; p < limit; p++) {
    const byte = bytes[p]!
    if (byte === QUOTE) {
      const key = p + 1
      p = closingQuote(bytes, key, limit)
      if (p < 0) return ENDLESS
      if (depth === 1) metadataDepth = noteMember(bytes, key, p, limit, facts) || metadataDepth
      else if (depth === metadataDepth) noteMetadata(bytes, key, p, limit, facts)
    } else if ((byte | CASE_BIT) === OPEN_OBJECT) depth++
    else if ((byte | CASE_BIT) === CLOSE_OBJECT) {
      depth--
      if (depth < metadataDepth) metadataDepth = 0
      if (depth === 0) return p + 1
    } else if (byte === NEWLINE) bytes[p] = SPACE
  }
  return ENDLESS
}

/** The closing quote of the string whose text begins at `start`, or a negative number. */
function closingQuote(bytes: Uint8Array, start: number, limit: number): number {
  let p = start
  while (p < limit) {
    const byte = bytes[p]!
    // Most bytes of a text are small letters, or none of the three that matter.
    if (byte > BACKSLASH || (byte !== QUOTE && byte !== BACKSLASH && byte !== NEWLINE)) p++
    else if (byte === QUOTE) return p
    else if (byte === BACKSLASH && bytes[p + 1] !== NEWLINE) p += 2
    else if (byte === BACKSLASH) p++
    else bytes[p++] = RETURN
  }
  return -1
}

function endOfScalar(bytes: Uint8Array, start: number, limit: number): number {
  let p = start
  while (p < limit && bytes[p] !== COMMA && bytes[p] !== CLOSE_ARRAY && !isSpace(bytes[p]!)) p++
  return p
}

/** Notes a member of the record, where it is one of interest and no value; gives the level of the metadata's members. */
function noteMember(bytes: Uint8Array, key: number, end: number, limit: number, facts: Facts): number {
  const name = nameOf(bytes, key, end)
  if (name === undefined) return 0
  const value = valueAt(bytes, end + 1, limit)
  if (value < 0) return 0
  const first = bytes[value]
  const isThere = first !== LOWER_N
  if (name === 'source') facts.hasSource = isThere
  else if (name === 'project') facts.hasOwnProject = isThere
  else if (name === 'metadata') return noteMetadataStart(bytes, value, limit, facts)
  else if (name === 'event_message') {
    facts.hasEventMessage = isThere
    facts.eventMessageAt = key
  } else if (name === 'message') {
    facts.messageAt = isThere ? key : -1
    facts.messageEnd = end
  } else if (name === 'batch') facts.batchAt = first === OPEN_ARRAY ? value : -1
  return 0
}

function noteMetadataStart(bytes: Uint8Array, value: number, limit: number, facts: Facts): number {
  facts.hasMetadataProject = facts.hasMetadataRef = false
  if (bytes[value] === OPEN_OBJECT) return 2
  return bytes[value] === OPEN_ARRAY && bytes[skipSpace(bytes, value + 1, limit)] === OPEN_OBJECT ? 3 : 0
}

function noteMetadata(bytes: Uint8Array, key: number, end: number, limit: number, facts: Facts): void {
  const name = nameOf(bytes, key, end)
  if (name !== 'project' && name !== 'project_ref') return
  const value = valueAt(bytes, end + 1, limit)
  if (value < 0) return
  if (name === 'project') facts.hasMetadataProject = bytes[value] === QUOTE
  else facts.hasMetadataRef = bytes[value] === QUOTE
}

/** Where the value of the key begins behind which `p` is; negative where what ends there is no key. */
function valueAt(bytes: Uint8Array, p: number, limit: number): number {
  const colon = skipSpace(bytes, p, limit)
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1, limit) : -1
}

const NAMES = ['source', 'project', 'project_ref', 'metadata', 'event_message', 'message', 'batch']
/** Few keys that are none of them have the first letter and the length of one: for those no text is made. */
const OUTLINES = new Set(NAMES.map((name) => outline(name.charCodeAt(0), name.length)))
const LONGEST = Math.max(...NAMES.map((name) => '\\u0000'.length * name.length))

function outline(first: number, length: number): number {
  return first * 64 + length
}

/** The key with the text [key, end), where it may be one of interest. */
function nameOf(bytes: Uint8Array, key: number, end: number): string | undefined {
  const length = end - key
  if (length < 5 || length > LONGEST) return undefined
  if (length < 14 && OUTLINES.has(outline(bytes[key]!, length))) return latin1(bytes, key, end)
  return length > 9 && bytes.subarray(key, end).includes(BACKSLASH) ? unescaped(latin1(bytes, key, end)) : undefined
}

function unescaped(text: string): string | undefined {
  try {
    return JSON.parse(`"${text}"`)
  } catch {
    return undefined
  }
}

export const isSpace = (byte: number): boolean => byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB

/** The first byte from `p` on that is no JSON white space, or `limit`. */
export function skipSpace(bytes: Uint8Array, start: number, limit: number): number {
  let p = start
  while (p < limit && isSpace(bytes[p]!)) p++
  return p
}
