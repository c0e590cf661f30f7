/** The list of projects that is shown if none is chosen. */
import type { ProjectRow } from '../api/explore.js'
import { byId, element } from '../shared/dom.js'
import { count } from '../shared/format.js'
import { timestamp, zoneName } from '../shared/times.js'
import { projectsOf } from './project-box.js'

/** Maximum of projects in the list. */
const MAX_PROJECTS = 200

/** Says that projects are loading. `isFailed`: says nothing, since the failure is shown elsewhere. */
export function showNoProjects(isFailed: boolean): void {
  byId('project-list').replaceChildren()
  byId('project-note').textContent = isFailed ? '' : 'Loading …'
}

/** Shows the projects, with the most rows first. `isCut`: there are more, with fewer rows. */
export function showProjectList(
  rows: readonly ProjectRow[],
  isCut: boolean,
  onChoose: (project: string) => void,
): void {
  const projects = projectsOf(rows)
  const items = projects.slice(0, MAX_PROJECTS).map(({ name, rows, newest }) => {
    const choose = element(
      'button',
      { type: 'button' },
      element('span', { class: 'name' }, name),
      element('span', { class: 'number' }, `${count(rows)} rows`),
      element('span', { class: 'newest' }, `newest ${timestamp(newest).slice(0, 19)}`),
    )
    choose.addEventListener('click', () => onChoose(name))
    return element('li', {}, choose)
  })
  byId('project-list').replaceChildren(...items)
  byId('project-note').textContent = noteOf(projects.length, isCut)
}

function noteOf(projects: number, isCut: boolean): string {
  if (projects === 0) return 'The service has no row of a project that this token may see.'
  const all = `${count(projects)} ${projects === 1 ? 'project' : 'projects'}`
  const zone = `Times are in ${zoneName()}.`
  if (!isCut && projects <= MAX_PROJECTS) return `${all}. ${zone}`
  const shown = `The ${count(Math.min(projects, MAX_PROJECTS))} with the most rows`
  return `${shown} of ${isCut ? `more than ${all}` : all}. Enter the name of another above. ${zone}`
}
