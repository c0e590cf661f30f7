/** The body of a request as lines of NDJSON. Nothing is parsed: numbers and texts stay as they are spelled. */
import { LogweirError } from '../base/errors.js'
import { KIB } from '../base/units.js'
import { NEWLINE } from './bytes.js'
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  createFacts,
  ENDLESS,
  endOfValue,
  type Facts,
  OPEN_ARRAY,
  OPEN_OBJECT,
  skipSpace,
} from './record.js'

/**
 * `json`: one record, an array of them, or an object with such an array under `batch`, whose other members are not looked
 * at. `ndjson`: one record a line.
 */
export type BodyForm = 'json' | 'ndjson'

/** What records get that lack it. */
export interface Defaults {
  source?: string
  /** A record has a project where any of the places that are read holds one. */
  project?: string
}

/** One record of a body; one and the same object for all of them. */
export interface BodyRecord {
  start: number
  end: number
  /** Whether it is an object from its first byte to its last; only then the rest is told. */
  isObject: boolean
  lacksSource: boolean
  lacksProject: boolean
  /** Where the key `message` stands that is to be `event_message`; negative where none is. */
  messageAt: number
  messageEnd: number
}

const DASH = 0x2d
/** Lines go out in pieces of this size; a longer line in one of its own. */
const PIECE_BYTES = 256 * KIB

/**
 * The records of a body, in order; of NDJSON every line, blank ones too. Line breaks within a record are replaced on the
 * way. Throws `invalid_body` where the ends of the records cannot be told.
 */
export function* recordsOf(bytes: Uint8Array, form: BodyForm): Generator<BodyRecord, void> {
  const record = createRecord()
  const facts = createFacts()
  const start = markLength(bytes)
  if (form === 'ndjson') yield* lines(bytes, start, record, facts)
  else yield* values(bytes, skipSpace(bytes, start, bytes.length), record, facts)
}

/** The length of the byte order mark that may stand before all else. */
const markLength = (bytes: Uint8Array): number => (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0)

function* lines(bytes: Uint8Array, from: number, record: BodyRecord, facts: Facts): Generator<BodyRecord, void> {
  for (let start = from, limit = from; start < bytes.length; start = limit + 1) {
    const newline = bytes.indexOf(NEWLINE, start)
    limit = newline < 0 ? bytes.length : newline
    const first = skipSpace(bytes, start, limit)
    const end = bytes[first] === OPEN_OBJECT ? endOfValue(bytes, first, limit, facts) : ENDLESS
    // White space at its ends is left out; a line that is no object is the scanner's to judge.
    const isObject = end !== ENDLESS && bytes[end - 1] === CLOSE_OBJECT && skipSpace(bytes, end, limit) === limit
    yield isObject ? describe(record, bytes, first, end, facts) : setOther(record, start, limit)
  }
}

function* values(bytes: Uint8Array, start: number, record: BodyRecord, facts: Facts): Generator<BodyRecord, void> {
  if (start === bytes.length) throw invalidBody('It is empty')
  if (bytes[start] === OPEN_ARRAY) return yield* elements(bytes, start, record, facts, true)
  if (bytes[start] !== OPEN_OBJECT) throw invalidBody('It is neither an object nor an array')
  const end = endOfValue(bytes, start, bytes.length, facts)
  if (end === ENDLESS) throw cutOff()
  expectEnd(bytes, end)
  const { batchAt } = facts
  if (batchAt >= 0) return yield* elements(bytes, batchAt, record, facts, false)
  yield describe(record, bytes, start, end, facts)
}

/** The elements of the array at `open`, with which the body ends or not. */
function* elements(
  bytes: Uint8Array,
  open: number,
  record: BodyRecord,
  facts: Facts,
  isLast: boolean,
): Generator<BodyRecord, void> {
  const limit = bytes.length
  let p = skipSpace(bytes, open + 1, limit)
  if (bytes[p] !== CLOSE_ARRAY) {
    for (; ; p = skipSpace(bytes, p + 1, limit)) {
      const end = endOfValue(bytes, p, limit, facts)
      if (end === ENDLESS || p === limit) throw cutOff()
      if (end === p) throw invalidBody(`At byte ${p} an element of the array is missing`)
      yield describe(record, bytes, p, end, facts)
      p = skipSpace(bytes, end, limit)
      if (p === limit) throw cutOff()
      if (bytes[p] === CLOSE_ARRAY) break
      if (bytes[p] !== COMMA) throw invalidBody(`At byte ${p} a comma is missing between two elements of the array`)
    }
  }
  if (isLast) expectEnd(bytes, p + 1)
}

function describe(record: BodyRecord, bytes: Uint8Array, start: number, end: number, facts: Facts): BodyRecord {
  if (bytes[start] !== OPEN_OBJECT || bytes[end - 1] !== CLOSE_OBJECT) return setOther(record, start, end)
  record.start = start
  record.end = end
  record.isObject = true
  record.lacksSource = !facts.hasSource
  record.lacksProject = !(facts.hasOwnProject || facts.hasMetadataProject || facts.hasMetadataRef)
  record.messageAt = facts.hasEventMessage ? -1 : facts.messageAt
  record.messageEnd = facts.messageEnd
  // An event_message of null behind it would win: it gets a name that nobody knows.
  if (record.messageAt >= 0 && facts.eventMessageAt > record.messageAt) bytes[facts.eventMessageAt] = DASH
  return record
}

function setOther(record: BodyRecord, start: number, end: number): BodyRecord {
  record.start = start
  record.end = end
  record.isObject = false
  return record
}

export function createRecord(): BodyRecord {
  const [start, end, messageEnd] = [0, 0, 0]
  return { start, end, isObject: false, lacksSource: false, lacksProject: false, messageAt: -1, messageEnd }
}

function expectEnd(bytes: Uint8Array, from: number): void {
  const p = skipSpace(bytes, from, bytes.length)
  if (p < bytes.length) {
    throw invalidBody(`Something stands behind its end, at byte ${p}. One record a line is application/x-ndjson`)
  }
}

const cutOff = () => invalidBody('It ends in the middle of a value')
const invalidBody = (what: string) =>
  new LogweirError(
    'invalid_body',
    `The body is not valid JSON: ${what[0]!.toLowerCase()}${what.slice(1)}. Nothing of it was taken.`,
  )

/** What became lines so far: all of them, and those without a record among them. */
export interface Written {
  lines: number
  blank: number
}

const MEMBER_NAME = Buffer.from('event_message')

/**
 * The lines of records of a body, each with its newline, many at a time and good until the next are asked for. An object gets what
 * `defaults` say where it lacks it, as its last members; where it has `message` and no `event_message`, that becomes its
 * name. `written` is counted up before the lines are handed out.
 */
export function* linesOf(
  bytes: Uint8Array,
  records: Iterable<BodyRecord>,
  defaults: Defaults,
  written: Written,
): Generator<Uint8Array, void> {
  const additions = additionsOf(defaults)
  const roomBytes = MEMBER_NAME.length + additions.both.length + 3
  let piece = new Uint8Array(Math.min(PIECE_BYTES, bytes.length + roomBytes))
  let filled = 0
  for (const record of records) {
    const neededBytes = record.end - record.start + roomBytes
    if (filled + neededBytes > piece.length) {
      if (filled > 0) yield piece.subarray(0, filled)
      filled = 0
      if (neededBytes > piece.length || piece.length < PIECE_BYTES)
        piece = new Uint8Array(Math.max(neededBytes, PIECE_BYTES))
    }
    filled = record.isObject
      ? putObject(piece, filled, bytes, record, additions)
      : put(piece, filled, bytes, record.start, record.end)
    piece[filled++] = NEWLINE
    written.lines++
    if (!record.isObject && skipSpace(bytes, record.start, record.end) === record.end) written.blank++
  }
  if (filled > 0) yield piece.subarray(0, filled)
}

interface Additions {
  none: Uint8Array
  source: Uint8Array
  project: Uint8Array
  both: Uint8Array
}

/** The members to be added, as text between commas. */
function additionsOf({ source, project }: Defaults): Additions {
  const parts = Object.entries({ source, project }).map(([name, value]) =>
    value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`,
  )
  const [sourcePart, projectPart] = parts.map((part) => Buffer.from(part))
  return {
    none: new Uint8Array(0),
    source: sourcePart!,
    project: projectPart!,
    both: Buffer.concat([sourcePart!, projectPart!]),
  }
}

function put(piece: Uint8Array, at: number, bytes: Uint8Array, start: number, end: number): number {
  piece.set(bytes.subarray(start, end), at)
  return at + end - start
}

function putObject(
  piece: Uint8Array,
  from: number,
  bytes: Uint8Array,
  { start, end, lacksSource, lacksProject, messageAt, messageEnd }: BodyRecord,
  additions: Additions,
): number {
  let at = from
  let rest = start
  if (messageAt >= 0) {
    at = put(piece, at, bytes, start, messageAt)
    at = put(piece, at, MEMBER_NAME, 0, MEMBER_NAME.length)
    rest = messageEnd
  }
  at = put(piece, at, bytes, rest, end - 1)
  const added = lacksSource ? additions[lacksProject ? 'both' : 'source'] : additions[lacksProject ? 'project' : 'none']
  const isEmpty = skipSpace(bytes, start + 1, end) === end - 1
  at = put(piece, at, added, isEmpty && added.length > 0 ? 1 : 0, added.length)
  piece[at] = CLOSE_OBJECT
  return at + 1
}
