import { allSourceNames } from '../../src/common/sources.js'
import { below, oneOf, type Random } from '../support/random.js'
import type { TestRecord } from '../support/records.js'

/** A row of /api/projects. */
export interface ProjectRow {
  project: string
  source: string
  rows: number
  newest: number
}

/** The parameters of /api/projects. */
export interface ProjectsAsked {
  match?: string
  order?: 'name' | 'rows'
}

/** The rows of /api/projects in the simplest way: each record is looked at by itself. */
export function projectsOracle(
  records: readonly TestRecord[],
  projects?: readonly string[],
  { match = '', order }: ProjectsAsked = {},
): ProjectRow[] {
  const byKey = new Map<string, ProjectRow>()
  for (const { project, source, timestampUs } of records) {
    if (!project || projects?.includes(project) === false) continue
    if (!project.toLowerCase().includes(match.toLowerCase())) continue
    const key = `${source} ${project}`
    const row = byKey.get(key)
    if (row === undefined) byKey.set(key, { project, source, rows: 1, newest: timestampUs })
    else Object.assign(row, { rows: row.rows + 1, newest: Math.max(row.newest, timestampUs) })
  }
  const rows = [...byKey.values()]
  const totals = new Map<string, number>()
  for (const { project, rows: count } of rows) totals.set(project, (totals.get(project) ?? 0) + count)
  const larger = (a: ProjectRow, b: ProjectRow) =>
    order === 'rows' ? totals.get(b.project)! - totals.get(a.project)! : 0
  const sorted = rows.sort((a, b) => larger(a, b) || inBytes(a.project, b.project) || inBytes(a.source, b.source))
  return sorted.slice(0, 10_000)
}

const inBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Names of projects, of which some records have none. */
const PROJECT_NAMES = ['a', 'b', 'B', '__proto__', 'é', '😀', 'a.b', '', null]

/** Random records of all sources that the process knows. */
export function recordsOfProjects(random: Random, count: number, nowUs: number): TestRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    source: oneOf(random, allSourceNames()),
    id: `${i}`,
    timestampUs: nowUs - below(random, 1_000_000),
    project: oneOf(random, PROJECT_NAMES),
    event_message: '',
    metadata: '{}',
  }))
}
