import type { FollowQuery, Row, RowListener } from '../../engine.js'
import { type CategoryColumn, type Head, readCold } from '../storage/head/head.js'
import { toRow } from './read-rows.js'

/** Who is told of the rows of a project as they are appended. */
export interface Followers {
  add(followed: FollowQuery, arrived: RowListener): Follower
  /** Tells of the rows of a head from `firstRow` on: for each who follows its source one look for the project, and one over the rows where it is there. */
  tell(head: Head, firstRow: number): void
}

export interface Follower {
  /** How many rows it has been told of. */
  readonly told: number
  stop(): void
}

interface Told extends FollowQuery {
  /** The project, as the head has it. */
  name: Buffer
  arrived: RowListener
  told: number
}

export function createFollowers(): Followers {
  const followers = new Set<Told>()
  return {
    add(followed, arrived) {
      const told: Told = { ...followed, name: Buffer.from(followed.project), arrived, told: 0 }
      followers.add(told)
      return {
        get told() {
          return told.told
        },
        stop: () => void followers.delete(told),
      }
    },
    tell(head, firstRow) {
      for (const follower of followers) if (follower.source === head.source) tellOne(follower, head, firstRow)
    },
  }
}

function tellOne(follower: Told, head: Head, firstRow: number): void {
  const { codes, interner } = head.columns.get('project') as CategoryColumn
  const code = interner.find(follower.name, 0, follower.name.length)
  if (code < 0 || codes.subarray(firstRow, head.rows).indexOf(code) < 0) return
  follower.arrived(rowsOf(follower, head, codes, code, firstRow), false)
}

function* rowsOf(follower: Told, head: Head, codes: Uint32Array, code: number, firstRow: number): Generator<Row> {
  for (let row = firstRow; row < head.rows; row++) {
    if (codes[row] !== code) continue
    follower.told++
    yield toRow(head.timestampsUs[row]!, readCold(head.cold, row), follower.columns)
  }
}
