/** The projects that the token may see, with the number of rows in each source. */
import { MAX_PROJECT_ROWS } from '../../common/limits.js'
import type { Failure } from '../api/api.js'
import { fetchProjects, type ProjectQuery, type ProjectRow } from '../api/explore.js'

/** Callbacks to the page, and how projects are requested. */
export interface ProjectsHost {
  /** Called with the loaded list. `isCut`: the projects with the fewest rows are missing. */
  onList(rows: readonly ProjectRow[], isCut: boolean): void
  /** Called with all known rows when the known rows change: the rows of the list, and of the chosen project. */
  onRows(rows: readonly ProjectRow[]): void
  /** Called if a request failed. The list is then requested again, if that may help. */
  onFailure(failure: Failure): void
  /** Requests projects; {@link fetchProjects} by default. */
  fetch?(query: ProjectQuery): Promise<readonly ProjectRow[]>
}

/** The projects. Without the list, a project can still be entered. */
export interface KnownProjects {
  /** Undefined while unknown. */
  rows(): readonly ProjectRow[] | undefined
  /** Loads the list again, and the rows of the chosen project (empty: none) if the list may lack the rows. */
  load(chosen: string): Promise<void>
  /** Loads the rows of the chosen project, if the list may lack them and they were not asked for. */
  choose(project: string): void
  /** Whether a project has rows, or undefined while unknown. */
  has(project: string): boolean | undefined
  /**
   * Asks the service for the projects with a text in their names, after a pause. Returns undefined if the list has all
   * projects. Resolves to undefined if the request failed, or if another text was asked for since.
   */
  find(text: string): Promise<readonly ProjectRow[] | undefined> | undefined
  /** Forgets all, and the answers that are still to come: another user may sign in. */
  forget(): void
}

/**
 * Returns whether a project is the only one to choose: the only one that has rows, or that requests without a project
 * are for. False while the rows are unknown. `defaultProject` is empty if there is none.
 */
export function isOnlyChoice(
  project: string,
  rows: readonly ProjectRow[] | undefined,
  defaultProject: string,
): boolean {
  if (rows === undefined) return false
  const names = new Set(rows.map((row) => row.project))
  if (defaultProject !== '') names.add(defaultProject)
  return names.size === 1 && names.has(project)
}

/** Milliseconds without a key before the service is asked for projects with the text. */
const TYPING_MS = 200

/** Creates the projects, of which none is known yet. */
export function createKnownProjects(host: ProjectsHost): KnownProjects {
  const { onList, onRows } = host
  const { request, forget } = createRequests(host)
  const search = newestOf((match: string) => request({ match }), TYPING_MS)
  let rows: readonly ProjectRow[] | undefined
  /** The list ends at its maximum. */
  let isCut = false
  /** The project that was requested last by name, and the project of the rows that have come. Empty: no project. */
  let asked = ''
  let answered = ''

  function keep(next: readonly ProjectRow[]): void {
    rows = next
    onRows(next)
  }

  async function loadOne(project: string): Promise<void> {
    asked = project
    const found = await request({ project })
    if (found === undefined) return
    answered = project
    keep([...rows!.filter((row) => row.project !== project), ...found])
  }

  const isListed = (project: string) => rows!.some((row) => row.project === project)

  function choose(project: string): void {
    // The first rows of the project may have come after the list.
    if (rows !== undefined && project !== '' && project !== asked && (isCut || !isListed(project)))
      void loadOne(project)
  }

  async function load(chosen: string): Promise<void> {
    const found = await request({}, () => void load(chosen))
    if (found === undefined) return
    isCut = found.length >= MAX_PROJECT_ROWS
    asked = ''
    answered = ''
    keep(found)
    onList(found, isCut)
    choose(chosen)
  }

  return {
    rows: () => rows,
    load,
    choose,
    has(project) {
      if (rows === undefined) return undefined
      return isListed(project) || (answered === project ? false : undefined)
    },
    find: (text) => (isCut ? search(text) : undefined),
    forget() {
      forget()
      rows = undefined
      isCut = false
    },
  }
}

/** Requests of successive users. */
function createRequests({ onFailure, fetch = fetchProjects }: ProjectsHost) {
  let user = 0
  let retry: ReturnType<typeof setTimeout> | undefined
  return {
    /**
     * Requests rows. Resolves to undefined if the request failed, or if another user may have signed in. Calls `again`
     * when another try may succeed.
     */
    async request(query: ProjectQuery, again?: () => void): Promise<readonly ProjectRow[] | undefined> {
      const asker = user
      if (again !== undefined) clearTimeout(retry)
      try {
        const found = await fetch(query)
        return asker === user ? found : undefined
      } catch (error) {
        if (asker !== user) return undefined
        const failure = error as Failure
        onFailure(failure)
        if (again !== undefined && failure.retryS !== undefined) retry = setTimeout(again, failure.retryS * 1_000)
        return undefined
      }
    },
    forget() {
      user++
      clearTimeout(retry)
    },
  }
}

/**
 * Returns a function that calls `ask` after a pause. Resolves to undefined if the function is called again before the
 * answer.
 */
function newestOf<Given, Answer>(ask: (given: Given) => Promise<Answer>, pauseMs: number) {
  let calls = 0
  return async (given: Given): Promise<Answer | undefined> => {
    const mine = ++calls
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const answer = mine === calls ? await ask(given) : undefined
    return mine === calls ? answer : undefined
  }
}
