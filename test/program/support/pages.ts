import type { Served } from './program.js'

export interface ShownRow {
  id: string
  /** Microseconds since the epoch. */
  timestamp: number
  event_message: string
  metadata: unknown
}

/** Returns all rows of a project, newest first. Reads page by page, so no two rows may have the same time. */
export async function allRows(service: Served, project: string): Promise<ShownRow[]> {
  const rows: ShownRow[] = []
  for (let end = ''; ; ) {
    const page: ShownRow[] = await service.rows(`logs.all?project=${project}&project_tier=ENTERPRISE${end}`)
    rows.push(...page)
    if (page.length < 100) return rows
    end = `&iso_timestamp_end=${formatIso8601(page.at(-1)!.timestamp - 1)}`
  }
}

export const formatIso8601 = (us: number): string =>
  `${new Date(Math.floor(us / 1000)).toISOString().slice(0, -1)}${String(us % 1000).padStart(3, '0')}Z`
