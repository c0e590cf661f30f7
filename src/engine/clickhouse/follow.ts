import type { Clock } from '../../base/clock.js'
import { createSerialQueue } from '../../base/serial-queue.js'
import { HOUR_US, MINUTE_US } from '../../base/units.js'
import type { FollowQuery, Row, RowListener, RunOptions, Subscription } from '../engine.js'
import { type Plan, shapeOf } from '../plan.js'
import { readRow } from './answer.js'
import type { Cell, Server } from './server.js'
import { rowsQuery } from './sql.js'
import { type TableLocation, tableOf } from './table-names.js'
import { int64Value, textValue } from './values.js'

export interface FollowLimits {
  /** How often it is looked for rows. */
  pollMs: number
  /** A row is seen that lands so long after its group was begun, by the clock of the process that brought it. */
  landUs: number
  /** A row is seen that is at most so old when it lands. */
  lateUs: number
  /** Rows told of at once; of more only the latest. */
  rows: number
  /** Rows of the time above whose places are known. */
  places: number
}

export const FOLLOW_LIMITS: FollowLimits = {
  pollMs: 1_000,
  landUs: MINUTE_US,
  lateUs: HOUR_US,
  rows: 1_000,
  places: 50_000,
}

export interface FollowParts {
  server: Server
  location: TableLocation
  clock: Clock
  limits: FollowLimits
}

/** Where a row came from, which names it, and orders rows by arrival. */
const PLACE = ['arrived', 'batch', 'row'] as const
const BY_ARRIVAL = PLACE.map((name) => `${name} DESC`).join(', ')

const placeOf = (cells: readonly Cell[]) => cells.slice(0, PLACE.length).join(' ')

/**
 * Looks again and again for the rows of a project, since other processes bring some too: first for the places of those that
 * have arrived of late, then for those rows that were not there before. Rejects with a ServerError where it cannot begin; later a
 * look that fails is made again.
 */
export async function followRows(
  { source, project, columns }: FollowQuery,
  arrived: RowListener,
  { server, location, clock, limits }: FollowParts,
): Promise<Subscription> {
  const turns = createSerialQueue()
  const wanted = [...PLACE, ...columns]
  let seen = new Set<string>()
  let sinceUs = clock.nowUs() - limits.landUs
  let told = 0
  let isLooking = false

  const from = (where: string) =>
    `FROM ${tableOf(location, source)} WHERE project = ${textValue(project)} AND timestamp >= ` +
    `${int64Value(clock.nowUs() - limits.lateUs)} AND arrived >= ${int64Value(sinceUs)}${where} ORDER BY ${BY_ARRIVAL}`

  /** The places of the rows that have arrived of late, the latest first. */
  const places = () => server.select(`SELECT ${PLACE.join(', ')} ${from('')} LIMIT ${limits.places}`)

  /** Remembers the places of one look; what arrived before it is not looked for again. */
  function remember(found: readonly Cell[][], nowUs: number): void {
    seen = new Set(found.map(placeOf))
    const isFull = found.length >= limits.places
    sinceUs = Math.max(sinceUs, nowUs - limits.landUs, isFull ? Number(found.at(-1)![0]) + 1 : 0)
  }

  const rowOf = (cells: readonly Cell[]) => readRow(columns, cells.slice(PLACE.length))

  /** Tells of rows, which come with their places, the latest first. */
  function tell(rows: readonly Cell[][], hasGap: boolean): void {
    if (rows.length === 0) return
    told += rows.length
    arrived(rows.map(rowOf).reverse(), hasGap)
  }

  async function look(): Promise<void> {
    const nowUs = clock.nowUs()
    const found = await places()
    const news = found.filter((cells) => !seen.has(placeOf(cells)))
    if (news.length > 0) {
      const batches = [...new Set(news.map(([, batch]) => batch))].map((batch) => `toUInt64(${batch})`)
      const where = ` AND batch IN (${batches.join(', ')})`
      const rows = await server.select(`SELECT ${wanted.join(', ')} ${from(where)} LIMIT ${limits.rows}`)
      // What has landed since the places were looked for comes with the next look.
      const isNew = new Set(news.map(placeOf))
      const read = rows.filter((cells) => isNew.has(placeOf(cells)))
      tell(read, read.length < news.length)
    }
    remember(found, nowUs)
  }

  async function run(plan: Plan, { signal }: RunOptions = {}) {
    const shape = shapeOf(plan)
    if (shape?.kind !== 'rows') throw new TypeError('Only a plan of rows can be run by one who follows them.')
    const lateUs = clock.nowUs() - limits.lateUs
    const found = await server.select(rowsQuery({ ...shape, columns: wanted }, location), { signal })
    const answer = found.map((cells) => ({ cells, row: rowOf(cells) }))
    // What the next look would tell of is told of now: the answer has no row that is yet to come.
    const isNews = ({ cells, row }: (typeof answer)[number]) =>
      Number(cells[0]) >= sinceUs && Number(row.timestamp) >= lateUs && !seen.has(placeOf(cells))
    const news = answer.filter(isNews).map(({ cells }) => cells)
    for (const cells of news) seen.add(placeOf(cells))
    tell(news.sort(byArrival), false)
    return { rows: inOrder(answer.map(({ row }) => row)), told }
  }

  const beganUs = clock.nowUs()
  remember(await places(), beganUs)
  const stop = clock.every(limits.pollMs, () => {
    if (isLooking) return
    isLooking = true
    const done = () => {
      isLooking = false
    }
    turns.run(look).then(done, done)
  })
  return { run: (plan, options) => turns.run(() => run(plan, options)), stop }
}

/** The latest first. */
function byArrival(a: readonly Cell[], b: readonly Cell[]): number {
  for (let i = 0; i < PLACE.length; i++) {
    const difference = BigInt(b[i]!) - BigInt(a[i]!)
    if (difference !== 0n) return Number(difference)
  }
  return 0
}

async function* inOrder(rows: readonly Row[]): AsyncIterable<Row> {
  yield* rows
}
