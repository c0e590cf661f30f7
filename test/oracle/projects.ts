import { SOURCE_NAMES } from '../../src/sources.js'
import { below, oneOf, type Random } from '../support/random.js'
import type { TestRecord } from '../support/records.js'

/** A row of /api/projects. */
export interface ProjectRow {
  project: string
  source: string
  rows: number
  newest: number
}

/** The rows of /api/projects in the simplest way: each record is looked at by itself. */
export function projectsOracle(records: readonly TestRecord[], projects?: readonly string[]): ProjectRow[] {
  const rows: ProjectRow[] = []
  for (const { project, source, timestampUs } of records) {
    if (!project || projects?.includes(project) === false) continue
    const row = rows.find((one) => one.project === project && one.source === source)
    if (row === undefined) rows.push({ project, source, rows: 1, newest: timestampUs })
    else Object.assign(row, { rows: row.rows + 1, newest: Math.max(row.newest, timestampUs) })
  }
  return rows.sort((a, b) => inBytes(a.project, b.project) || inBytes(a.source, b.source)).slice(0, 10_000)
}

const inBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Names of projects, of which some records have none. */
export const PROJECT_NAMES = ['a', 'b', 'B', '__proto__', 'é', '😀', 'a.b', '', null]

/** Random records of all sources. */
export function recordsOfProjects(random: Random, count: number, nowUs: number): TestRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    source: oneOf(random, SOURCE_NAMES),
    id: `${i}`,
    timestampUs: nowUs - below(random, 1_000_000),
    project: oneOf(random, PROJECT_NAMES),
    event_message: '',
    metadata: '{}',
  }))
}
