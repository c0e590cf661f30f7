import type { Row } from '../../../plan/answer.js'
import { answerValue, type Value } from '../../../plan/answer.js'
import { Timestamp } from '../../../plan/values/values.js'
import type { ColdColumn } from '../../columns.js'
import type { FollowQuery, RowListener } from '../../engine.js'
import type { ColdRow } from '../columns/batch.js'
import { coldValue } from '../expressions/frame.js'
import { type CategoryColumn, type Head, readCold } from '../storage/head/head.js'

/** The subscriptions of an embedded engine to the rows of a project. */
export interface Followers {
  /** Starts a subscription: `listener` is called by {@link notify} until `stop`. */
  add(query: FollowQuery, listener: RowListener): Follower
  /**
   * Delivers the rows of a head from `firstRow` on. Each subscription to its source costs one lookup of the
   * project, and one pass over the new rows if the project is in them.
   */
  notify(head: Head, firstRow: number): void
}

/** One subscription, which ends only by `stop`. */
export interface Follower {
  /** Number of rows delivered so far. */
  readonly delivered: number
  /** Ends the subscription. */
  stop(): void
}

interface Entry extends FollowQuery {
  /** The project as UTF-8, as the head stores it. */
  projectBytes: Buffer
  listener: RowListener
  delivered: number
}

/** Creates a registry without subscriptions. */
export function createFollowers(): Followers {
  const followers = new Set<Entry>()
  return {
    add(query, listener) {
      const entry: Entry = { ...query, projectBytes: Buffer.from(query.project), listener, delivered: 0 }
      followers.add(entry)
      return {
        get delivered() {
          return entry.delivered
        },
        stop: () => void followers.delete(entry),
      }
    },
    notify(head, firstRow) {
      for (const follower of followers) if (follower.source === head.source) notifyOne(follower, head, firstRow)
    },
  }
}

function notifyOne(follower: Entry, head: Head, firstRow: number): void {
  const { codes, interner } = head.columns.get('project') as CategoryColumn
  const code = interner.find(follower.projectBytes, 0, follower.projectBytes.length)
  if (code < 0 || codes.subarray(firstRow, head.rows).indexOf(code) < 0) return
  follower.listener(rowsOf(follower, head, codes, code, firstRow), false)
}

function* rowsOf(follower: Entry, head: Head, codes: Uint32Array, code: number, firstRow: number): Generator<Row> {
  for (let row = firstRow; row < head.rows; row++) {
    if (codes[row] !== code) continue
    follower.delivered++
    yield toRow(head.timestampsUs[row]!, readCold(head.cold, row), follower.columns)
  }
}

/** A row as an answer has it, of its timestamp and its cold columns. */
function toRow(timestampUs: number, cold: ColdRow, columns: readonly string[]): Row {
  return Object.fromEntries<Value>(
    columns.map((name) => {
      const isTime = name === 'timestamp'
      const value = isTime ? new Timestamp(timestampUs) : coldValue(name as ColdColumn, cold[name as ColdColumn])
      return [name, answerValue(value)]
    }),
  )
}
