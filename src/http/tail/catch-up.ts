import type { Row, Subscription } from '../../engine/engine.js'
import { equals, type Plan, scan } from '../../engine/plan.js'
import type { Place } from './cursor.js'
import { gapEvent, idLine, recordEvent } from './events.js'
import type { TailLimits } from './limits.js'

/** The columns of a record, in their order. */
export const COLUMNS = ['id', 'timestamp', 'event_message', 'metadata'] as const

/** So many rows more are read, to tell the oldest one's rank among those of its time. */
const TIED_ROWS = 200

/** The rows of a project that are newest, in a stretch of time. */
interface Stretch {
  following: Pick<Subscription, 'run'>
  project: string
  fromUs: number
  throughUs: number
  signal?: AbortSignal | undefined
}

export interface CatchUp extends Pick<Stretch, 'following' | 'project' | 'signal'> {
  /** Where the reader is; undefined for one that is new. */
  after: Place | undefined
  nowUs: number
  limits: TailLimits
}

/** What a reader is sent before what comes live. */
export interface CaughtUp {
  /** Oldest first. */
  events: readonly Buffer[]
  /** Behind them. */
  place: Place
  /** How many rows had come live by then: the reader goes on with the next one. */
  delivered: number
}

/** Reads the rows behind a place, the newest where they are too many; for a reader that is new a few of the latest. */
export async function catchUp({ after, nowUs, limits, ...rest }: CatchUp): Promise<CaughtUp> {
  const start = after ?? { timestampUs: nowUs - limits.firstUs, rank: 0 }
  const wanted = after === undefined ? limits.firstRows : limits.missedRows
  const stretch = { ...rest, fromUs: start.timestampUs, throughUs: Number.POSITIVE_INFINITY }
  const { rows, isWhole, delivered } = await readNewest(stretch, wanted, limits.caughtUpBytes)
  const beyond = rows.filter((row) => isBehind(row, start))
  const shown = beyond.filter(({ data }) => data !== undefined)
  const events: Buffer[] = []
  if (after !== undefined && !(isWhole && shown.length === beyond.length)) {
    events.push(gapEvent(shown[0]?.timestampUs ?? nowUs))
  }
  let place = start
  for (const { timestampUs, rank, data } of shown) {
    if (timestampUs <= nowUs) place = { timestampUs, rank }
    events.push(Buffer.concat([idLine(place), data!]))
  }
  return { events, place, delivered }
}

/** The place behind all rows of a project that are there and not of a time to come. */
export async function endOf({
  nowUs,
  limits,
  ...rest
}: Omit<CatchUp, 'after'>): Promise<{ place: Place; delivered: number }> {
  const fromUs = nowUs - limits.firstUs
  const { rows, delivered } = await readNewest({ ...rest, fromUs, throughUs: nowUs }, 1, limits.caughtUpBytes)
  const { timestampUs, rank } = rows.at(-1) ?? { timestampUs: fromUs, rank: 0 }
  return { place: { timestampUs, rank }, delivered }
}

const isBehind = (row: Place, place: Place) =>
  row.timestampUs > place.timestampUs || (row.timestampUs === place.timestampUs && row.rank > place.rank)

/** A row that was read. Of what is more than is wanted only the time is kept. */
interface ReadRow extends Place {
  data: Buffer | undefined
}

/**
 * The newest rows of a stretch, oldest first: `wanted` ones or those of so many bytes, and before them all of
 * the same time as the oldest of them, or as the stretch's beginning. `isWhole` says that these are all rows.
 */
async function readNewest(stretch: Stretch, wanted: number, wantedBytes: number) {
  const { following, project, fromUs, throughUs, signal } = stretch
  const limit = wanted + TIED_ROWS
  const plan: Plan = scan('edge_logs', { fromUs, throughUs })
    .filter(equals('project', project))
    .select(...COLUMNS)
    .orderBy('timestamp', 'desc')
    .limit(limit)
  const { rows, delivered } = await following.run(plan, { signal })
  const read: Omit<ReadRow, 'rank'>[] = []
  let bytes = 0
  let isWhole = true
  for await (const row of rows) {
    const timestampUs = row.timestamp as number
    const isEnough = read.length >= wanted || bytes >= wantedBytes
    if (isEnough && timestampUs !== fromUs && timestampUs !== read.at(-1)?.timestampUs) {
      isWhole = false
      break
    }
    const data = isEnough ? undefined : recordEvent(row as Row)
    bytes += data?.length ?? 0
    read.push({ timestampUs, data })
  }
  return { rows: ranked(read.reverse()), isWhole: isWhole && read.length < limit, delivered }
}

/** Rows in order of time and arrival, each with its rank among those of its time. */
function ranked(rows: readonly Omit<ReadRow, 'rank'>[]): ReadRow[] {
  let rank = 0
  return rows.map((row, i) => {
    rank = rows[i - 1]?.timestampUs === row.timestampUs ? rank + 1 : 1
    return { ...row, rank }
  })
}
