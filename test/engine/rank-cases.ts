import type { Row } from '../../src/plan/answer.js'
import { call, column, type Expression, field, literal } from '../../src/plan/expression.js'
import type { Operator, Plan } from '../../src/plan/plan.js'
import { edge, type TestRecord } from '../support/records.js'

/** Plans that rank the rows of equal timestamps, of which there are more than a limit keeps. */

const TIED_ROWS = 10_000
const TIED_US = Date.UTC(2026, 10, 25, 3) * 1000

interface Fields {
  kind: string
  status: number
}

const fieldsOf = (i: number): Fields => ({ kind: i % 3 === 0 ? 'third' : 'other', status: 200 + (i % 5) })

/**
 * Returns records in order of arrival. About `tied` records have the same time, others are earlier or later. Every
 * seventh record is of another project.
 */
export const tiedRecords = (tied = TIED_ROWS): TestRecord[] =>
  Array.from({ length: (tied * 3) / 2 }, (_, i) => {
    const { kind, status } = fieldsOf(i)
    return edge({
      id: `${i}`,
      timestampUs: TIED_US + (i % 9 === 0 ? (i % 5) - 2 : 0),
      project: i % 7 === 0 ? 'b' : 'a',
      event_message: `${kind} ${i}`,
      metadata: { request: { url: `https://a/${i % 50}` }, response: { status_code: status }, n: i },
    })
  })

const filter = (where: Expression): Operator => ({ op: 'filter', where })
const named = (name: string, value: Expression = column(name)) => ({ name, value })

/** A condition of a plan, and the same in plain code. */
interface Condition {
  where: readonly Expression[]
  isKept(fields: Fields, i: number): boolean
}

const CONDITIONS: readonly Condition[] = [
  { where: [], isKept: () => true },
  {
    where: [call('starts_with', column('event_message'), literal('third'))],
    isKept: ({ kind }) => kind === 'third',
  },
  { where: [call('ge', field('response.status_code'), literal(203))], isKept: ({ status }) => status >= 203 },
  {
    where: [call('ge', column('status_code'), literal(203)), call('lt', field('n'), literal(9_000))],
    isKept: ({ status }, i) => status >= 203 && i < 9_000,
  },
]

/** A plan over {@link tiedRecords}, and the rows of the answer. */
export interface RankCase {
  title: string
  plan: Plan
  rowsOf(records: readonly TestRecord[]): Row[]
}

type Direction = 'asc' | 'desc'
interface Window {
  direction: Direction
  /** Undefined for no limit. */
  limit?: readonly [rows: number, offset: number]
  range?: readonly [fromUs: number, throughUs: number]
}

const WINDOWS: readonly Window[] = [
  { direction: 'desc', limit: [100, 0] },
  { direction: 'desc', limit: [100, 2_345] },
  { direction: 'desc', limit: [1, 0] },
  { direction: 'desc', range: [TIED_US + 1, 1e16] },
  { direction: 'asc', limit: [100, 0] },
  { direction: 'asc', limit: [100, 2_345] },
  { direction: 'desc', limit: [100, 0], range: [TIED_US, TIED_US] },
  { direction: 'asc', limit: [100, 1_234], range: [TIED_US, TIED_US] },
  { direction: 'desc', limit: [100, 0], range: [TIED_US - 1, TIED_US - 1] },
]

const COLUMNS = [named('id'), named('timestamp'), named('m', call('upper', column('event_message')))]

function rankCase({ direction, limit, range = [0, 1e16] }: Window, { where, isKept }: Condition, at: string): RankCase {
  const [fromUs, throughUs] = range
  const plan: Plan = [
    { op: 'scan', sources: ['edge_logs'], fromUs, throughUs },
    ...[call('eq', column('project'), literal('a')), ...where].map(filter),
    { op: 'select', columns: COLUMNS },
    { op: 'orderBy', keys: [{ by: column('timestamp'), direction, nulls: 'last' }], rank: 'rank' },
    ...(limit === undefined ? [] : [{ op: 'limit', rows: limit[0], offset: limit[1] } as const]),
  ]
  return {
    title: `${direction} ${limit?.join(' from ') ?? 'all'}, ${at}`,
    plan,
    rowsOf(records) {
      const counts = new Map<number, number>()
      const rows = records.flatMap(({ id, timestampUs, project, event_message }, i) => {
        const isIn = timestampUs >= fromUs && timestampUs <= throughUs
        if (!isIn || project !== 'a' || !isKept(fieldsOf(i), i)) return []
        const rank = (counts.get(timestampUs) ?? 0) + 1
        counts.set(timestampUs, rank)
        return [{ id, timestamp: timestampUs, m: event_message.toUpperCase(), rank }]
      })
      rows.sort((a, b) => a.timestamp - b.timestamp || a.rank - b.rank)
      if (direction === 'desc') rows.reverse()
      return limit === undefined ? rows : rows.slice(limit[1], limit[1] + limit[0])
    },
  }
}

/** Every window with every condition. */
export const RANK_CASES: readonly RankCase[] = CONDITIONS.flatMap((condition, i) =>
  WINDOWS.map((window, j) => rankCase(window, condition, `condition ${i}, window ${j}`)),
)
