/** The projects that the token may see, with the rows that they have of each source. */
import type { Failure } from '../api/api.js'
import { fetchProjects, MAX_PROJECT_ROWS, type ProjectRow } from '../api/explore.js'

/** Callbacks to the page. */
export interface ProjectsHost {
  /** Called with the list when it was loaded; `isCut`: later names are missing. */
  onList(rows: readonly ProjectRow[], isCut: boolean): void
  /** Called with all rows that are known when there are others: those of the list, and of the chosen project. */
  onRows(rows: readonly ProjectRow[]): void
  /** Called if a request failed. */
  onFailure(failure: Failure): void
}

/** The projects. Without them a project can still be entered. */
export interface KnownProjects {
  /** Undefined as long as they are not known. */
  rows(): readonly ProjectRow[] | undefined
  /** Loads the list again, and the rows of the chosen project (empty: none) if the list may lack them. */
  load(chosen: string): Promise<void>
  /** Loads the rows of the chosen project, if the list may lack them and they were not asked for. */
  choose(project: string): void
  /** Forgets all, and the answers that are still to come: another user may sign in. */
  forget(): void
}

/** Creates the projects, of which none is known yet. */
export function createKnownProjects({ onList, onRows, onFailure }: ProjectsHost): KnownProjects {
  let rows: readonly ProjectRow[] | undefined
  /** The list ends at its maximum, in order of names. */
  let isCut = false
  /** The project that was requested last by its name; empty for none. */
  let asked = ''
  let user = 0

  /** Requests rows; undefined if that failed, or if they are no longer wanted. */
  async function request(project?: string): Promise<readonly ProjectRow[] | undefined> {
    const asker = user
    try {
      const found = await fetchProjects(project)
      return asker === user ? found : undefined
    } catch (error) {
      if (asker === user) onFailure(error as Failure)
      return undefined
    }
  }

  function keep(next: readonly ProjectRow[]): void {
    rows = next
    onRows(next)
  }

  async function loadOne(project: string): Promise<void> {
    asked = project
    const found = await request(project)
    if (found !== undefined) keep([...rows!.filter((row) => row.project !== project), ...found])
  }

  function choose(project: string): void {
    if (isCut && project !== '' && project !== asked) void loadOne(project)
  }

  return {
    rows: () => rows,
    async load(chosen) {
      const found = await request()
      if (found === undefined) return
      isCut = found.length >= MAX_PROJECT_ROWS
      asked = ''
      keep(found)
      onList(found, isCut)
      choose(chosen)
    },
    choose,
    forget() {
      user++
      rows = undefined
      isCut = false
    },
  }
}
