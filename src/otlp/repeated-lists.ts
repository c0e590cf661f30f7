/** Lists of records that `JSON.parse` would lose: of a name that one object has twice it keeps the last value. */
import { Malformed } from './request.js'

/** Names of the lists of records, before a colon: in a string their quotes would be escaped. */
const LISTS =
  /(?<!\\)"(?:resourceLogs|resource_logs|scopeLogs|scope_logs|instrumentationLibraryLogs|instrumentation_library_logs|logRecords|log_records|logs)"\s*:/g

/**
 * Throws {@link Malformed} if an object has a list twice. Counts their names in the text and, if they are more than a
 * request of one resource and one scope has, in the parsed value: the difference was lost.
 */
export function refuseRepeatedLists(json: string, parsed: unknown): void {
  const found = json.match(LISTS) ?? []
  if (found.length <= LISTS_OF_ONE_SCOPE) return
  const lost = new Map<string, number>()
  for (const member of found) add(lost, member.slice(1, member.indexOf('"', 1)), 1)
  for (const name of membersOf(parsed)) if (lost.has(name)) add(lost, name, -1)
  for (const [name, count] of lost) if (count > 0) throw new Malformed(`${name} is there twice in one object`)
}

const LISTS_OF_ONE_SCOPE = 3

const add = (counts: Map<string, number>, name: string, count: number) =>
  counts.set(name, (counts.get(name) ?? 0) + count)

/** The names in all objects of a value, however deep it is. */
function* membersOf(parsed: unknown): Generator<string, void> {
  const left = [parsed]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) yield* Object.keys(value)
    for (const inner of Object.values(value)) if (typeof inner === 'object') left.push(inner)
  }
}
