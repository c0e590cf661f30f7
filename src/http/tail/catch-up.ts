import type { Subscription } from '../../engine/engine.js'
import type { Row } from '../../plan/answer.js'
import { equals, scan } from '../../plan/builder.js'
import type { Plan } from '../../plan/plan.js'
import type { Position } from '../../plan/position.js'
import type { ErrorForm } from '../reply/error-form.js'
import { gapEvent, idLine, recordEvent } from './events.js'
import type { TailLimits } from './limits.js'
import type { TailRows } from './tail-rows.js'

/** The columns of a record, in the order of the JSON. */
export const COLUMNS = ['id', 'timestamp', 'event_message', 'metadata'] as const

/** The rows of a tail after a position, up to a time. */
interface RowRange {
  subscription: Pick<Subscription, 'run'>
  project: string
  tailRows: TailRows
  after: Position
  throughUs: number
  signal?: AbortSignal | undefined
}

/** The rows that a reader has missed. */
export interface CatchUp extends Pick<RowRange, 'subscription' | 'project' | 'tailRows' | 'signal'> {
  /** The name of the rows in ids. */
  stream: string
  /** The position of the reader. Undefined for a new reader. */
  after: Position | undefined
  nowUs: number
  limits: TailLimits
  errorForm: ErrorForm
}

/** The stored rows that a reader is sent before live rows. */
export interface CaughtUp {
  /** Oldest first. */
  events: readonly Buffer[]
  /** The position after the events. */
  position: Position
  /** How many live rows the subscription had delivered by then. The reader continues with the next row. */
  delivered: number
}

/**
 * Reads the rows after a position, only the newest if there are too many. A new reader gets a few of the latest rows.
 */
export async function catchUp({ after, nowUs, limits, errorForm, stream, ...rest }: CatchUp): Promise<CaughtUp> {
  const start = after ?? { timestampUs: nowUs - limits.firstUs, rank: 0 }
  const wanted = after === undefined ? limits.firstRows : limits.missedRows
  const range = { ...rest, after: start, throughUs: Number.POSITIVE_INFINITY }
  const { rows, isComplete, delivered } = await readNewest(range, wanted, limits.caughtUpBytes)
  const events: Buffer[] = []
  if (after !== undefined && !isComplete) events.push(gapEvent(rows[0]?.timestampUs ?? nowUs, errorForm))
  let position = start
  for (const { timestampUs, rank, data } of rows) {
    if (timestampUs <= nowUs) position = { timestampUs, rank }
    events.push(Buffer.concat([idLine({ ...position, stream }), data]))
  }
  return { events, position, delivered }
}

/** Returns the position after the stored rows of a project with times up to `nowUs`. */
export async function endOf({
  nowUs,
  limits,
  ...rest
}: Omit<CatchUp, 'after' | 'errorForm' | 'stream'>): Promise<{ position: Position; delivered: number }> {
  const after = { timestampUs: nowUs - limits.firstUs, rank: 0 }
  const { rows, delivered } = await readNewest({ ...rest, after, throughUs: nowUs }, 1, limits.caughtUpBytes)
  const { timestampUs, rank } = rows.at(-1) ?? after
  return { position: { timestampUs, rank }, delivered }
}

const isAfter = (row: Position, position: Position) =>
  row.timestampUs > position.timestampUs || (row.timestampUs === position.timestampUs && row.rank > position.rank)

/** A row that was read, and the event of the row. */
interface ReadRow extends Position {
  data: Buffer
}

/**
 * Returns the newest rows after a position, oldest first: `wanted` rows or `wantedBytes` of rows. `isComplete`: whether
 * there are no other rows.
 */
async function readNewest(range: RowRange, wanted: number, wantedBytes: number) {
  const { subscription, project, tailRows, after, throughUs, signal } = range
  const plan: Plan = scan(tailRows.source, { fromUs: after.timestampUs, throughUs })
    .filter(equals('project', project), tailRows.where)
    .select(...COLUMNS)
    .orderBy('timestamp', 'desc')
    .rank('rank')
    .limit(wanted + 1)
  const { rows, delivered, isCut = false } = await subscription.run(plan, { signal })
  const read: ReadRow[] = []
  let bytes = 0
  let isComplete = !isCut
  for await (const { rank, ...record } of rows) {
    const position: Position = { timestampUs: record.timestamp as number, rank: rank as number }
    const isMissed = isAfter(position, after)
    if (!isMissed || read.length >= wanted || bytes >= wantedBytes) {
      isComplete = !isMissed
      break
    }
    const data = recordEvent(record as Row)
    bytes += data.length
    read.push({ ...position, data })
  }
  return { rows: read.reverse(), isComplete, delivered }
}
