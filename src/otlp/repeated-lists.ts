/**
 * Detects lists of records that `JSON.parse` loses: if an object has a name twice, `JSON.parse` keeps the last value
 * only.
 */
import { MalformedError } from './request.js'

/** Names of the lists of records, old and new, each before a colon. In a string their quotes would be escaped. */
const LISTS =
  /(?<!\\)"(?:(?:resource|scope)(?:L|_l)ogs|instrumentation(?:LibraryL|_library_l)ogs|log(?:R|_r)ecords|logs)"\s*:/g

/**
 * Throws {@link MalformedError} if an object has a list twice. Compares the number of each name in the text and in the
 * parsed value. Skips the comparison if the text has only as many names as a request of a single resource and scope
 * needs.
 */
export function refuseRepeatedLists(json: string, parsed: unknown): void {
  const found = json.match(LISTS) ?? []
  if (found.length <= LISTS_OF_ONE_SCOPE) return
  const lost = new Map<string, number>()
  for (const member of found) add(lost, member.slice(1, member.indexOf('"', 1)), 1)
  for (const name of memberNames(parsed)) if (lost.has(name)) add(lost, name, -1)
  for (const [name, count] of lost) if (count > 0) throw new MalformedError(`${name} occurs twice in one object`)
}

const LISTS_OF_ONE_SCOPE = 3

const add = (counts: Map<string, number>, name: string, count: number) =>
  counts.set(name, (counts.get(name) ?? 0) + count)

/** Yields the member names of all objects in a value, without recursion, so that no depth overflows the stack. */
function* memberNames(parsed: unknown): Generator<string, void> {
  const pending = [parsed]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) yield* Object.keys(value)
    for (const inner of Object.values(value)) if (typeof inner === 'object') pending.push(inner)
  }
}
