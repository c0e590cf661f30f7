import type { Subscription } from '../../engine/engine.js'
import type { Row } from '../../plan/answer.js'
import { equals, scan } from '../../plan/builder.js'
import type { Plan } from '../../plan/plan.js'
import type { Position } from '../../plan/position.js'
import type { ErrorForm } from '../reply/error-form.js'
import { gapEvent, idLine, recordEvent } from './events.js'
import type { TailLimits } from './limits.js'
import type { TailRows } from './tail-rows.js'

/** The columns of a record, in the order of its JSON. */
export const COLUMNS = ['id', 'timestamp', 'event_message', 'metadata'] as const

/** Rows that are read in addition, to find the rank of the oldest row among those of its time. */
const TIED_ROWS = 200

/** The rows of a tail in a time range. */
interface TimeRange {
  subscription: Pick<Subscription, 'run'>
  project: string
  tailRows: TailRows
  fromUs: number
  throughUs: number
  signal?: AbortSignal | undefined
}

/** The rows that a reader has missed. */
export interface CatchUp extends Pick<TimeRange, 'subscription' | 'project' | 'tailRows' | 'signal'> {
  /** The name of the rows in ids. */
  stream: string
  /** The position of the reader; undefined for a new one. */
  after: Position | undefined
  nowUs: number
  limits: TailLimits
  errorForm: ErrorForm
}

/** The stored rows that a reader is sent before live ones. */
export interface CaughtUp {
  /** Oldest first. */
  events: readonly Buffer[]
  /** The position after these events. */
  position: Position
  /** How many live rows the subscription had delivered by then: the reader continues with the next one. */
  delivered: number
}

/**
 * Reads the rows after a position, only the newest if there are too many; a new reader gets a few of the latest rows.
 */
export async function catchUp({ after, nowUs, limits, errorForm, stream, ...rest }: CatchUp): Promise<CaughtUp> {
  const start = after ?? { timestampUs: nowUs - limits.firstUs, rank: 0 }
  const wanted = after === undefined ? limits.firstRows : limits.missedRows
  const range = { ...rest, fromUs: start.timestampUs, throughUs: Number.POSITIVE_INFINITY }
  const { rows, isComplete, delivered } = await readNewest(range, wanted, limits.caughtUpBytes)
  const missed = rows.filter((row) => isAfter(row, start))
  const shown = missed.filter(({ data }) => data !== undefined)
  const events: Buffer[] = []
  if (after !== undefined && !(isComplete && shown.length === missed.length)) {
    events.push(gapEvent(shown[0]?.timestampUs ?? nowUs, errorForm))
  }
  let position = start
  for (const { timestampUs, rank, data } of shown) {
    if (timestampUs <= nowUs) position = { timestampUs, rank }
    events.push(Buffer.concat([idLine({ ...position, stream }), data!]))
  }
  return { events, position, delivered }
}

/** Returns the position after all stored rows of a project whose time is not in the future. */
export async function endOf({
  nowUs,
  limits,
  ...rest
}: Omit<CatchUp, 'after' | 'errorForm' | 'stream'>): Promise<{ position: Position; delivered: number }> {
  const fromUs = nowUs - limits.firstUs
  const { rows, delivered } = await readNewest({ ...rest, fromUs, throughUs: nowUs }, 1, limits.caughtUpBytes)
  const { timestampUs, rank } = rows.at(-1) ?? { timestampUs: fromUs, rank: 0 }
  return { position: { timestampUs, rank }, delivered }
}

const isAfter = (row: Position, position: Position) =>
  row.timestampUs > position.timestampUs || (row.timestampUs === position.timestampUs && row.rank > position.rank)

/** A row that was read. Rows over the limit have no data: only their time counts. */
interface ReadRow extends Position {
  data: Buffer | undefined
}

/**
 * Returns the newest rows of a range, oldest first: `wanted` rows or `wantedBytes` of them, preceded by all rows of the
 * same time as the oldest of them or as the start of the range. `isComplete` if these are all rows of the range.
 */
async function readNewest(range: TimeRange, wanted: number, wantedBytes: number) {
  const { subscription, project, tailRows, fromUs, throughUs, signal } = range
  const limit = wanted + TIED_ROWS
  const plan: Plan = scan(tailRows.source, { fromUs, throughUs })
    .filter(equals('project', project), tailRows.where)
    .select(...COLUMNS)
    .orderBy('timestamp', 'desc')
    .limit(limit)
  const { rows, delivered, isCut = false } = await subscription.run(plan, { signal })
  const read: Omit<ReadRow, 'rank'>[] = []
  let bytes = 0
  let isComplete = !isCut
  for await (const row of rows) {
    const timestampUs = row.timestamp as number
    const isEnough = read.length >= wanted || bytes >= wantedBytes
    if (isEnough && timestampUs !== fromUs && timestampUs !== read.at(-1)?.timestampUs) {
      isComplete = false
      break
    }
    const data = isEnough ? undefined : recordEvent(row as Row)
    bytes += data?.length ?? 0
    read.push({ timestampUs, data })
  }
  return { rows: ranked(read.reverse()), isComplete: isComplete && read.length < limit, delivered }
}

/** Adds to rows in order of time and arrival their rank among those of the same time. */
function ranked(rows: readonly Omit<ReadRow, 'rank'>[]): ReadRow[] {
  let rank = 0
  return rows.map((row, i) => {
    rank = rows[i - 1]?.timestampUs === row.timestampUs ? rank + 1 : 1
    return { ...row, rank }
  })
}
