import { DAY_US } from '../../../src/base/units.js'
import { AREAS, type HotColumn, hotColumns } from '../../../src/common/columns.js'
import { DEFAULT_FIELD_NAMES } from '../../../src/common/field-names.js'
import {
  acceptedSources,
  findAcceptedSource,
  type ProjectPlace,
  type Source,
  type SourceName,
} from '../../../src/common/sources.js'
import type { Reason } from '../../../src/ingest/rejects.js'
import { doubleOf } from '../../../src/ingest/wasm/double.js'
import { timestampOfNumber, timestampOfText } from '../../../src/ingest/wasm/timestamp.js'
import { KIND, OUTCOME } from '../field-table.js'
import { type Field, isAbsent, isNumber, isText, isWellFormed, type Line, textOf } from './line.js'
import { lowered } from './lowered.js'
import { mergedMetadata } from './other-fields.js'

/** An accepted record. */
export interface Row {
  source: SourceName
  timestampUs: number
  project: Buffer | null
  /** In the order of the schema: texts, numbers, flags of areas. */
  hot: (Buffer | number | null)[]
  /** Bit i is set if the value of hot column i must be read from the metadata. */
  inMetadata: number
  id: Buffer
  eventMessage: Buffer
  metadata: Buffer
}

export interface Rules {
  retentionUs: number
  /** The source of records that name no source. */
  defaultSource?: Source
  nowUs: number
  /** Whether a time that cannot be read becomes that of receipt. */
  acceptsUnreadableTimes?: boolean | undefined
}

/** Returns the row of a line, or the reason to reject the line. Undefined if the line is blank. */
export function validate(line: Line, rules: Rules): Row | Reason | undefined {
  if (line.outcome === OUTCOME.blank) return undefined
  if (line.outcome !== OUTCOME.ok) return REASON_OF_OUTCOME[line.outcome]!
  const named = sourceOf(line)
  const source = typeof named === 'object' ? named : (rules.defaultSource ?? loweredSourceOf(line) ?? named)
  if (source === undefined) return 'missing_source'
  if (typeof source === 'string') return source
  const message = isAbsent(line, 'event_message') ? 'message' : 'event_message'
  if (!hasRightTypes(line, message)) return 'invalid_field'
  const places = source.projectPlaces.map((place) => FIELD_OF_PLACE[place])
  const project = places.find((place) => isText(line, place))
  const id = isAbsent(line, 'id') ? Buffer.from(crypto.randomUUID()) : textOf(line, 'id')
  const texts: Field[] = ['id', message, ...(project === undefined ? [] : [project])]
  if (!texts.every((field) => isWellFormed(line, field))) return 'invalid_json'
  const sentUs = timestampOf(line, rules.nowUs)
  const isReplaced = Number.isNaN(sentUs) && rules.acceptsUnreadableTimes === true
  const timestampUs = isReplaced ? rules.nowUs : sentUs
  const fieldNames = isReplaced ? { ...DEFAULT_FIELD_NAMES, time: [] } : DEFAULT_FIELD_NAMES
  return (
    checkTimestamp(timestampUs, rules) ?? {
      source: source.name,
      timestampUs,
      project: project === undefined ? null : textOf(line, project),
      hot: hotColumns(source.name).map((column) => hotValue(line, column)),
      inMetadata: hotColumns(source.name).reduce((bits, column, i) => bits + (isHeld(line, column) ? 0 : 2 ** i), 0),
      id,
      eventMessage: isAbsent(line, message) ? Buffer.of() : textOf(line, message),
      metadata: Buffer.from(mergedMetadata(line.latin1, fieldNames, named !== source), 'latin1'),
    }
  )
}

const REASON_OF_OUTCOME: Record<number, Reason> = {
  [OUTCOME.invalidJson]: 'invalid_json',
  [OUTCOME.notAnObject]: 'not_an_object',
  [OUTCOME.tooDeep]: 'too_deep',
}

const FIELD_OF_PLACE: Record<ProjectPlace, Field> = {
  project: 'project',
  'metadata.project': 'metadata.project',
  'metadata.project_ref': 'metadata.project_ref',
}

/** Returns undefined if the record does not name a source. */
function sourceOf(line: Line): Source | Reason | undefined {
  if (isAbsent(line, 'source')) return undefined
  if (!isText(line, 'source')) return 'invalid_field'
  return findAcceptedSource(textOf(line, 'source').toString()) ?? 'unknown_source'
}

/** Returns the own source with a name that is another spelling of the text in `source`. */
function loweredSourceOf(line: Line): Source | undefined {
  if (!isText(line, 'source')) return undefined
  const name = lowered(textOf(line, 'source').toString())
  return acceptedSources().find((source) => source.alias === undefined && source.name === name)
}

function hasRightTypes(line: Line, message: Field): boolean {
  const texts: Field[] = ['id', message, 'project']
  const metadata = line.kind('metadata')
  return (
    texts.every((field) => isText(line, field) || isAbsent(line, field)) &&
    (metadata === KIND.object || metadata === KIND.arrayOfObjects || metadata === KIND.absent)
  )
}

/** Returns microseconds since the epoch. NaN if the time cannot be read. */
function timestampOf(line: Line, nowUs: number): number {
  if (isAbsent(line, 'timestamp')) return nowUs
  const raw = line.raw('timestamp')
  if (isNumber(line, 'timestamp')) return timestampOfNumber(raw, 0, raw.length)
  if (!isText(line, 'timestamp')) return Number.NaN
  const text = textOf(line, 'timestamp')
  return timestampOfText(text, 0, text.length)
}

function checkTimestamp(timestampUs: number, { nowUs, retentionUs }: Rules): Reason | undefined {
  if (Number.isNaN(timestampUs)) return 'invalid_timestamp'
  if (timestampUs < nowUs - retentionUs) return 'too_old'
  return timestampUs > nowUs + DAY_US ? 'too_far_ahead' : undefined
}

function hotValue(line: Line, { kind, path }: HotColumn): Buffer | number | null {
  const field = fieldOf(path)
  if (kind === 'number') return isNumber(line, field) ? finite(line.raw(field)) : null
  if (kind === 'areas') return isText(line, field) ? areasOf(textOf(line, field)) : 0
  return isText(line, field) ? textOf(line, field) : null
}

const fieldOf = (path: readonly string[]): Field => `metadata.${path.join('.')}`

/** Returns whether a column can hold the value of the field. Every column can hold an absent value. */
function isHeld(line: Line, { kind, path }: HotColumn): boolean {
  const field = fieldOf(path)
  if (isAbsent(line, field) || kind === 'areas') return true
  if (kind !== 'number') return isText(line, field)
  return isNumber(line, field) && !/^-?[0-9]{16,}$/.test(line.raw(field).toString())
}

function finite(number: Buffer): number | null {
  const value = doubleOf(number, 0, number.length)
  return Number.isNaN(value) ? null : value
}

const areasOf = (text: Buffer): number =>
  AREAS.reduce((flags, area, i) => (text.includes(area) ? flags | (1 << i) : flags), 0)
