/** The queries that were run, newest first. The browser keeps them, for this service's address. */
import { storedIn } from '../shared/stored.js'

/** A query that was run. */
export interface Run {
  sql: string
  /** Time of the last run, in milliseconds since 1970. */
  atMs: number
}

/** Maximum of queries that are stored. */
export const MOST_RUNS = 50
/** Maximum of the characters of all stored queries: browsers give a page about five million. */
const MOST_CHARACTERS = 500_000

const stored = storedIn('localStorage', 'logweir-sql-history')

/** Returns the runs, newest first. */
export function runs(): readonly Run[] {
  try {
    const kept: unknown = JSON.parse(stored.read() ?? '[]')
    return Array.isArray(kept) ? kept.filter(isRun) : []
  } catch {
    return []
  }
}

function isRun(given: unknown): given is Run {
  if (typeof given !== 'object' || given === null) return false
  const { sql, atMs } = given as Partial<Run>
  return typeof sql === 'string' && typeof atMs === 'number'
}

/** Keeps a run. The same query is kept once. */
export function keepRun(run: Run): void {
  stored.write(JSON.stringify(withRun(runs(), run)))
}

/** Returns runs with a new run, without the runs that there is no room for. */
export function withRun(before: readonly Run[], run: Run): Run[] {
  const all = [run, ...before.filter(({ sql }) => sql !== run.sql)].slice(0, MOST_RUNS)
  let characters = 0
  return all.filter(({ sql }, i) => {
    characters += sql.length
    return i === 0 || characters <= MOST_CHARACTERS
  })
}

/** Removes all runs. */
export const clearRuns = (): void => stored.write(null)
