import { tooMuchMemory } from './errors.js'
import type { FollowedQuery } from './followed-query.js'
import type { HeldBytes } from './held-bytes.js'

/** The memory of all followed queries. */
export interface Room {
  held: HeldBytes
  limitBytes: number
  /** In the order in which the queries were first followed. */
  queries(): Iterable<FollowedQuery>
  /** Forgets a query without subscribers. */
  remove(query: FollowedQuery): void
}

/** A result is held once as rows, and once as the event that has the whole answer. */
const COPIES = 2

/** Throws `overloaded` if a result of this size cannot take the place of the last result of a query. */
export function checkRoom(room: Room, query: FollowedQuery, heldBytes: number): void {
  if (makeRoom(room, heldBytes * COPIES - query.published.resultBytes)) return
  throw tooMuchMemory()
}

/**
 * Frees memory until `wantedBytes` more are within the limit: first queries that nobody follows, then events that can
 * be made again or left out, then clients that still take events of earlier states. Returns whether there is room.
 */
export function makeRoom(room: Room, wantedBytes: number): boolean {
  const { held, limitBytes } = room
  const hasRoom = () => held.bytes + wantedBytes <= limitBytes
  for (const query of [...room.queries()]) {
    if (hasRoom()) return true
    if (query.members === 0) room.remove(query)
  }
  for (const query of room.queries()) {
    if (hasRoom()) return true
    query.published.forgetEvents()
  }
  for (const { subscriber } of slowSubscribers(room)) {
    if (hasRoom()) return true
    subscriber.cut()
  }
  return hasRoom()
}

/** The subscribers that have not taken an event of an earlier state, those of the longest event first. */
function slowSubscribers(room: Room) {
  const slow = [...room.queries()].flatMap(({ subscribers, published }) =>
    [...subscribers].flatMap((subscriber) => {
      const { sending } = subscriber
      return sending !== undefined && sending.number < published.number
        ? [{ subscriber, bytes: sending.bytes.length }]
        : []
    }),
  )
  return slow.sort((a, b) => b.bytes - a.bytes)
}
