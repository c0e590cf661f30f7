import { createSerialQueue } from '../../../base/scheduling/serial-queue.js'
import type { ColdColumn } from '../../../common/columns.js'
import type { Row } from '../../../plan/answer.js'
import { answerValue, type Value } from '../../../plan/answer.js'
import { Timestamp } from '../../../plan/values/values.js'
import type { FollowQuery, RowListener } from '../../engine.js'
import type { ColdRow } from '../../execute/columns/batch.js'
import type { Selection } from '../../execute/columns/selection.js'
import { coldValue } from '../../execute/expressions/loaded-rows.js'
import type { CategoryColumn, OpenBatch } from '../../execute/open-batch/open-batch.js'
import { readCold } from '../../execute/open-batch/snapshot.js'
import { createRowFilter, type FilterContext, type RowFilter } from './follow-filtered.js'

/** The subscriptions of an embedded engine to the rows of a project. */
export interface Followers {
  /** Starts a subscription. `listener` is called by {@link notify}, or later with a filter, until `stop`. */
  add(query: FollowQuery, listener: RowListener): Follower
  /**
   * Delivers the rows of a head from `firstRow` on. Each subscription to the source of the head costs a lookup of the
   * project, and a pass over the new rows if the project is in them.
   */
  notify(head: OpenBatch, firstRow: number): void
}

/** A subscription, which ends only by `stop`. */
interface Follower {
  /** The number of rows delivered so far. If rows are filtered, resolves when all rows appended so far are filtered. */
  delivered(): number | Promise<number>
  /** Ends the subscription. */
  stop(): void
}

interface Entry extends FollowQuery {
  /** The project as UTF-8, as stored by the head. */
  projectBytes: Buffer
  listener: RowListener
  delivered: number
  isStopped: boolean
  /** Set if the rows are filtered. */
  filter?: RowFilter
}

/** Creates a registry without subscriptions. */
export function createFollowers(context: Omit<FilterContext, 'queue'>): Followers {
  const followers = new Set<Entry>()
  const filtering = { ...context, queue: createSerialQueue() }
  return {
    add(query, listener) {
      const entry = entryOf(query, listener, filtering)
      followers.add(entry)
      return {
        delivered: () => entry.filter?.settled().then(() => entry.delivered) ?? entry.delivered,
        stop() {
          entry.isStopped = true
          entry.filter?.stop()
          followers.delete(entry)
        },
      }
    },
    notify(head, firstRow) {
      for (const follower of followers) if (follower.source === head.source) notifyOne(follower, head, firstRow)
    },
  }
}

function entryOf(query: FollowQuery, listener: RowListener, context: FilterContext): Entry {
  const projectBytes = Buffer.from(query.project)
  const entry: Entry = { ...query, projectBytes, listener, delivered: 0, isStopped: false }
  const { where } = query
  if (where === undefined) return entry
  entry.filter = createRowFilter(
    {
      where,
      select: (head, from, to) => rowsOfProject(head, codeOf(entry, head), from, to),
      deliver(head, rows, hasGap) {
        if (!entry.isStopped) listener(rowsOf(entry, head, rows), hasGap)
      },
    },
    context,
  )
  return entry
}

function notifyOne(follower: Entry, head: OpenBatch, firstRow: number): void {
  const code = codeOf(follower, head)
  const { codes } = projectsOf(head)
  if (code < 0 || codes.subarray(firstRow, head.rows).indexOf(code) < 0) return
  if (follower.filter === undefined) follower.listener(rowsOf(follower, head, eachRow(head, code, firstRow)), false)
  else follower.filter.add(head, firstRow)
}

const projectsOf = (head: OpenBatch) => head.columns.get('project') as CategoryColumn

/** The code of a follower's project in a head. Negative if the head has no row of the project. */
const codeOf = ({ projectBytes }: Entry, head: OpenBatch) =>
  projectsOf(head).interner.find(projectBytes, 0, projectBytes.length)

/** The rows of a project in a head, ascending. */
function* eachRow(head: OpenBatch, code: number, from: number, to = head.rows): Generator<number> {
  const { codes } = projectsOf(head)
  for (let row = from; row < to; row++) if (codes[row] === code) yield row
}

function rowsOfProject(head: OpenBatch, code: number, from: number, to: number): Selection {
  return { kind: 'indices', indices: Uint32Array.from(eachRow(head, code, from, to)), timeOrdered: false }
}

/** Delivers rows of a head. */
function* rowsOf(follower: Entry, head: OpenBatch, rows: Iterable<number>): Generator<Row> {
  for (const row of rows) {
    follower.delivered++
    yield toRow(head.timestampsUs[row], readCold(head.cold, row), follower.columns)
  }
}

/** A row of an answer, made of the timestamp and the cold columns. */
function toRow(timestampUs: number, cold: ColdRow, columns: readonly string[]): Row {
  return Object.fromEntries<Value>(
    columns.map((name) => {
      const isTime = name === 'timestamp'
      const value = isTime ? new Timestamp(timestampUs) : coldValue(name as ColdColumn, cold[name as ColdColumn])
      return [name, answerValue(value)]
    }),
  )
}
