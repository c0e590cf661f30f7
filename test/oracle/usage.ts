import type { TestRecord } from '../support/records.js'

/** The rows of a project, a source and a day, as `YYYY-MM-DD`. */
export interface CountedRows {
  project: string | null
  source: string
  day: string
  rows: number
}

/** What usage counts. Days include both ends. */
export interface UsageAsked {
  source?: string
  projects?: readonly string[]
  firstDay?: string
  lastDay?: string
}

/** The counts of usage in the simplest way: each record is looked at by itself. */
export function usageOracle(records: readonly TestRecord[], asked: UsageAsked = {}): CountedRows[] {
  const { source: only, projects, firstDay = '', lastDay = '~' } = asked
  const counts = new Map<string, CountedRows>()
  for (const { project: sent, source, timestampUs } of records) {
    const project = sent || null
    const day = new Date(Math.floor(timestampUs / 1_000)).toISOString().slice(0, 10)
    if (only !== undefined && source !== only) continue
    if (projects !== undefined && (project === null || !projects.includes(project))) continue
    if (day < firstDay || day > lastDay) continue
    const key = JSON.stringify([day, source, project ?? 0])
    const counted = counts.get(key) ?? { project, source, day, rows: 0 }
    counted.rows++
    counts.set(key, counted)
  }
  const inOrder = (a: string, b: string) => Number(a > b) - Number(a < b)
  return [...counts.values()].sort(
    (a, b) => inOrder(a.day, b.day) || inOrder(a.source, b.source) || inOrder(a.project ?? '', b.project ?? ''),
  )
}
