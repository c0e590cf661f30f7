/** The header: view, project, source, time range. */
import type { ProjectRow } from '../api/explore.js'
import { sourcesWith } from '../explore/model/sources.js'
import { type Change, type State, VIEW_NAMES, type ViewName } from '../explore/model/state.js'
import { byId, element } from '../shared/dom.js'
import { shortCount } from '../shared/format.js'
import { rangeLabel } from '../shared/range-label.js'
import { createProjectBox, type ProjectBoxEvents, projectsOf } from './project-box.js'
import { createRangeControl } from './range-control.js'
import { startSheet } from './sheet.js'

const VIEW_TITLES: Readonly<Record<Exclude<ViewName, 'explore'>, string>> = {
  ...{ charts: 'charts', sql: 'SQL', alerts: 'alerts', api: 'API' },
}

/** The choices that the user has. */
interface Offered {
  /** Whether the service offers a view. */
  isOffered(view: ViewName): boolean
  /** Whether there is only one project: then no project is shown. */
  isOneProject: boolean
}

/** The controls above the view. */
export interface Header {
  show(state: State, offered: Offered): void
  /** Shows the projects that the token may see, and the rows of the sources. */
  showProjects(rows: readonly ProjectRow[], state: State): void
  /** Moves the focus to the project. `isForced`: opens the dialog of a narrow window for that. */
  focusProject(isForced: boolean): void
  focusSource(): void
}

/** Wires the header. `find`: asks for projects. */
export function createHeader(change: Change, find: ProjectBoxEvents['find']): Header {
  const source = byId<HTMLSelectElement>('source')
  const sheet = startSheet()
  const choose = (next: Partial<State>) => {
    sheet.close()
    change({ ...next, record: '' }, true)
  }
  const projectBox = createProjectBox({ onChoose: (project) => choose({ project }), find })
  const range = createRangeControl((next) => choose({ range: next }))
  let rows: readonly ProjectRow[] = []

  // Conditions are on fields of the source.
  source.addEventListener('change', () => choose({ source: source.value, filters: [] }))
  for (const view of VIEW_NAMES) byId(`view-${view}`).addEventListener('click', () => choose({ view }))

  return {
    show(state, { isOffered, isOneProject }) {
      for (const view of VIEW_NAMES) byId(`view-${view}`).hidden = !isOffered(view)
      byId('alerts-key').hidden = !isOffered('alerts')
      for (const id of ['project-field', 'project-key']) byId(id).hidden = isOneProject
      projectBox.show(state.project)
      range.show(state.range)
      showSources(source, rows, state)
      for (const view of VIEW_NAMES) byId(`view-${view}`).setAttribute('aria-pressed', String(state.view === view))
      byId('source-field').hidden = state.view !== 'explore'
      showSummary(byId('open-sheet'), state, isOneProject)
    },
    showProjects(next, state) {
      rows = next
      projectBox.showOptions(projectsOf(rows))
      showSources(source, rows, state)
    },
    focusProject(isForced) {
      if (byId('project-field').hidden) return
      if (!byId('controls').checkVisibility() && isForced) byId('open-sheet').click()
      projectBox.focus()
    },
    focusSource: () => source.focus(),
  }
}

/** On a narrow window the project gives way to the view and its range. */
function showSummary(button: HTMLElement, { view, project, source, range }: State, isOneProject: boolean): void {
  const shown = `${view === 'explore' ? source : VIEW_TITLES[view]} · ${rangeLabel(range)}`
  const name = project || 'Choose a project'
  button.title = isOneProject ? shown : `${name} · ${shown}`
  // The year is left out, since there is little room.
  const short = element('span', { class: 'shown' }, shown.replace(/\d{4}-(?=\d\d-)/g, ''))
  const parts = project === '' ? [] : [short]
  if (isOneProject) button.replaceChildren(...parts)
  else button.replaceChildren(element('span', { class: 'project' }, name), ...parts.flatMap((part) => [' ', part]))
}

/** Shows the nine sources, then the others that have rows, with the number of rows that the project has. */
function showSources(select: HTMLSelectElement, rows: readonly ProjectRow[], { project, source }: State): void {
  const counts = new Map(rows.filter((row) => row.project === project).map((row) => [row.source, row.rows]))
  const names = new Set([...sourcesWith(rows), source])
  const options = [...names].map((name) => {
    const count = counts.get(name)
    const text = counts.size === 0 ? name : `${name} · ${count === undefined ? 'none' : shortCount(count)}`
    return element('option', { value: name }, text)
  })
  select.replaceChildren(...options)
  select.value = source
}
