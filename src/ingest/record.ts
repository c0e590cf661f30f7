import { Interner } from '../base/interner.js'
import { DAY_US } from '../base/units.js'
import { type ProjectPlace, SOURCES, type Source } from '../sources.js'
import { type BatchBuilder, createBatchBuilder, type HotColumnBuilder } from './batch-builder.js'
import type { CodeColumn, NullableTextColumn, TextColumn } from './columns.js'
import { FIELD, KIND, OUTCOME, type Scanner } from './fields.js'
import { LineFields } from './line-fields.js'
import type { Reason } from './rejects.js'
import { timestampOfNumber, timestampOfText } from './timestamp.js'
import { areasOf, doubleOf } from './values.js'

/** How far ahead of now a record may lie. */
const AHEAD_US = DAY_US

/** A source's own place in the work: which fields it reads, and the batch that its rows join. */
interface Lane {
  projectFields: readonly number[]
  hotFields: readonly number[]
  builder: BatchBuilder
}

export interface RecorderOptions {
  scanner: Pick<Scanner, 'bytes' | 'table'>
  /** The source of records that name none. */
  defaultSource?: Source
  retentionUs: number
}

export interface Recorder {
  /**
   * Judges the line whose field table starts at `at`: appends a row to the builder of its source, which it returns,
   * or returns the reason why not. Nothing of a refused line stays behind.
   */
  take(at: number, nowUs: number): BatchBuilder | Reason
  /** The builders that hold rows. */
  filled(): BatchBuilder[]
  /** Lets go of all builders, which must hold no rows, and their memory. */
  release(): void
}

export function createRecorder({ scanner, defaultSource, retentionUs }: RecorderOptions): Recorder {
  const line = new LineFields(scanner)
  const lanes = new Map<Source, Lane>()

  function take(at: number, nowUs: number): BatchBuilder | Reason {
    line.moveTo(at)
    if (line.outcome() !== OUTCOME.ok) return REASON_OF_OUTCOME[line.outcome()]!
    const source = sourceOf(line) ?? defaultSource ?? 'missing_source'
    if (typeof source === 'string') return source
    if (!hasRightTypes(line)) return 'invalid_field'
    const lane = lanes.get(source) ?? addLane(source)
    if (!putTexts(line, lane)) return 'invalid_json'
    const timestampUs = timestampOf(line, nowUs)
    if (Number.isNaN(timestampUs)) return 'invalid_timestamp'
    if (timestampUs < nowUs - retentionUs) return 'too_old'
    if (timestampUs > nowUs + AHEAD_US) return 'too_far_ahead'
    putRest(line, lane, timestampUs)
    lane.builder.rows++
    return lane.builder
  }

  function addLane(source: Source): Lane {
    const builder = createBatchBuilder(source.name)
    const projectFields = source.projectPlaces.map((place) => FIELD_OF_PLACE[place])
    const lane = { projectFields, hotFields: builder.hot.map(({ name }) => FIELD_OF_HOT_COLUMN[name]!), builder }
    lanes.set(source, lane)
    return lane
  }

  const filled = () => [...lanes.values()].map(({ builder }) => builder).filter(({ rows }) => rows > 0)
  return { take, filled, release: () => lanes.clear() }
}

const REASON_OF_OUTCOME: Record<number, Reason> = {
  [OUTCOME.invalidJson]: 'invalid_json',
  [OUTCOME.notAnObject]: 'not_an_object',
  [OUTCOME.tooDeep]: 'too_deep',
}

const FIELD_OF_PLACE: Record<ProjectPlace, number> = {
  project: FIELD.project,
  'metadata.project': FIELD.metadata_project,
  'metadata.project_ref': FIELD.metadata_project_ref,
}

const FIELD_OF_HOT_COLUMN: Record<string, number> = {
  url: FIELD.url,
  path: FIELD.path,
  function_id: FIELD.function_id,
  execution_time_ms: FIELD.execution_time_ms,
  status_code: FIELD.status_code,
}

const SOURCE_CODES = new Interner()
const SOURCE_OF_CODE: Source[] = []
for (const source of SOURCES) {
  for (const name of [source.name, source.alias]) {
    SOURCE_OF_CODE[SOURCE_CODES.intern(Buffer.from(name), 0, name.length)] = source
  }
}

/** Undefined where the record names none. */
function sourceOf(line: LineFields): Source | Reason | undefined {
  if (line.isAbsent(FIELD.source)) return undefined
  if (!line.isText(FIELD.source)) return 'invalid_field'
  line.locate(FIELD.source)
  return SOURCE_OF_CODE[SOURCE_CODES.find(line.textBytes, line.textStart, line.textEnd)] ?? 'unknown_source'
}

function hasRightTypes(line: LineFields): boolean {
  const metadata = line.kind(FIELD.metadata)
  return (
    (line.isText(FIELD.id) || line.isAbsent(FIELD.id)) &&
    (line.isText(FIELD.event_message) || line.isAbsent(FIELD.event_message)) &&
    (line.isText(FIELD.project) || line.isAbsent(FIELD.project)) &&
    (metadata === KIND.object || metadata === KIND.arrayOfObjects || metadata === KIND.absent)
  )
}

/** False where one of them has a lone surrogate. */
function putTexts(line: LineFields, { builder, projectFields }: Lane): boolean {
  const { id, eventMessage, project, rows } = builder
  if (line.isAbsent(FIELD.id)) putUuid(id, rows)
  else if (!putText(line, FIELD.id, id, rows)) return false
  if (!putText(line, FIELD.event_message, eventMessage, rows)) return false
  return putCode(line, firstText(line, projectFields), project, rows)
}

const uuidBytes = Buffer.alloc(36)

function putUuid(column: TextColumn, row: number): void {
  uuidBytes.write(crypto.randomUUID(), 'latin1')
  column.set(row, uuidBytes, 0, 36)
}

/** An absent text is empty. */
function putText(line: LineFields, field: number, column: TextColumn, row: number): boolean {
  if (line.kind(field) === KIND.escapedString) {
    return column.setEscaped(row, line.bytes, line.start(field), line.end(field))
  }
  column.set(row, line.bytes, line.start(field), line.end(field))
  return true
}

/** The first of the fields that is a text; the last of them where none is. */
function firstText(line: LineFields, fields: readonly number[]): number {
  for (let i = 0; i < fields.length; i++) if (line.isText(fields[i]!)) return fields[i]!
  return fields[fields.length - 1]!
}

/** A field that is no text is null. False where it has a lone surrogate, which U+FFFD then replaces. */
function putCode(line: LineFields, field: number, column: CodeColumn | NullableTextColumn, row: number): boolean {
  if (!line.isText(field)) {
    column.setNull(row)
    return true
  }
  const wellFormed = line.locate(field)
  column.set(row, line.textBytes, line.textStart, line.textEnd)
  return wellFormed
}

/** Microseconds; the time of receipt where the record names none, NaN where it cannot be read. */
function timestampOf(line: LineFields, nowUs: number): number {
  const field = FIELD.timestamp
  if (line.isAbsent(field)) return nowUs
  if (line.kind(field) === KIND.number) return timestampOfNumber(line.bytes, line.start(field), line.end(field))
  if (!line.isText(field)) return Number.NaN
  line.locate(field)
  return timestampOfText(line.textBytes, line.textStart, line.textEnd)
}

const NO_METADATA = Uint8Array.from(Buffer.from('{}'))

/** The columns that cannot fail. */
function putRest(line: LineFields, { builder, hotFields }: Lane, timestampUs: number): void {
  const { rows, timestamp, metadata, hot } = builder
  timestamp.set(rows, timestampUs)
  for (let i = 0; i < hot.length; i++) putHot(line, hotFields[i]!, hot[i]!, rows)
  if (line.isAbsent(FIELD.metadata)) metadata.set(rows, NO_METADATA, 0, NO_METADATA.length)
  else metadata.set(rows, line.bytes, line.start(FIELD.metadata), line.end(FIELD.metadata))
}

function putHot(line: LineFields, field: number, hot: HotColumnBuilder, row: number): void {
  if (hot.kind === 'text' || hot.kind === 'category') putCode(line, field, hot.column, row)
  else if (hot.kind === 'number') hot.column.set(row, numberOf(line, field))
  else hot.column.set(row, areaFlagsOf(line, field))
}

/** NaN where it is no finite number. */
function numberOf(line: LineFields, field: number): number {
  return line.kind(field) === KIND.number ? doubleOf(line.bytes, line.start(field), line.end(field)) : Number.NaN
}

function areaFlagsOf(line: LineFields, field: number): number {
  if (!line.isText(field)) return 0
  line.locate(field)
  return areasOf(line.textBytes, line.textStart, line.textEnd)
}
