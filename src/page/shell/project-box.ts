/** The box to choose a project: a text field with the known projects that contain the text. */
import type { ProjectRow } from '../api/explore.js'
import { byId, element } from '../shared/dom.js'
import { shortCount } from '../shared/format.js'
import { placeBelow } from '../shared/place-below.js'

/** Maximum of projects in the list at a time. */
const MAX_OPTIONS = 50

/** A project with the number of its rows in all sources. */
export interface Project {
  name: string
  rows: number
  /** In microseconds. */
  newest: number
}

/** Sums the rows of projects, those with the most rows first. */
export function projectsOf(rows: readonly ProjectRow[]): Project[] {
  const byName = new Map<string, Project>()
  for (const { project, rows: count, newest } of rows) {
    const known = byName.get(project) ?? { name: project, rows: 0, newest: 0 }
    byName.set(project, { name: project, rows: known.rows + count, newest: Math.max(known.newest, newest) })
  }
  return [...byName.values()].sort((a, b) => b.rows - a.rows || a.name.localeCompare(b.name, 'en'))
}

/** The field to choose a project with, and its list. */
export interface ProjectBox {
  /** Shows which project is chosen. */
  show(project: string): void
  showOptions(projects: readonly Project[]): void
  focus(): void
}

interface Parts {
  readonly field: HTMLInputElement
  readonly list: HTMLElement
  readonly onChoose: (project: string) => void
  chosen: string
  projects: readonly Project[]
  /** Names of the projects in the list. */
  options: readonly string[]
  /** The option that the keyboard is at; -1: the text in the field. */
  active: number
}

/** Wires the box in the header. `onChoose` is called with the name of a project, known or not. */
export function createProjectBox(onChoose: (project: string) => void): ProjectBox {
  const [field, list] = [byId<HTMLInputElement>('project'), byId('project-options')]
  const box: Parts = { field, list, onChoose, chosen: '', projects: [], options: [], active: -1 }
  field.addEventListener('focus', () => field.select())
  field.addEventListener('click', () => open(box, ''))
  field.addEventListener('input', () => open(box, field.value))
  field.addEventListener('blur', () => close(box))
  field.addEventListener('keydown', (event) => onKey(box, event))
  // Keeps the focus in the field until the click has chosen an option.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', ({ target }) => {
    const option = (target as Element).closest<HTMLElement>('[role=option]')
    if (option !== null) choose(box, option.dataset.project!)
  })
  return {
    show(project) {
      const isWriting = document.activeElement === field && project === box.chosen
      box.chosen = project
      if (!isWriting) field.value = project
    },
    showOptions(projects) {
      box.projects = projects
      if (isOpen(box)) open(box, field.value === box.chosen ? '' : field.value)
    },
    focus: () => field.focus(),
  }
}

const isOpen = ({ list }: Parts) => list.matches(':popover-open')

/** Shows the projects with a text in their names. */
function open(box: Parts, text: string): void {
  const wanted = text.trim().toLowerCase()
  const found = box.projects.filter(({ name }) => name.toLowerCase().includes(wanted))
  const shown = found.slice(0, MAX_OPTIONS)
  box.options = shown.map(({ name }) => name)
  box.active = -1
  const more = found.length - shown.length
  box.list.replaceChildren(
    ...shown.map((project, i) => optionOf(project, i, project.name === box.chosen)),
    ...(more > 0
      ? [element('li', { class: 'fine', role: 'presentation' }, `${shortCount(more)} more: type a part of the name`)]
      : []),
  )
  if (found.length === 0) {
    close(box)
    return
  }
  if (!isOpen(box)) box.list.showPopover()
  placeBelow(box.list, box.field)
  box.field.setAttribute('aria-expanded', 'true')
  mark(box)
}

function optionOf({ name, rows }: Project, i: number, isChosen: boolean): HTMLElement {
  return element(
    'li',
    { role: 'option', id: `project-${i}`, 'data-project': name, 'aria-selected': String(isChosen) },
    element('span', { class: 'name' }, name),
    element('span', { class: 'number' }, shortCount(rows)),
  )
}

function close({ list, field }: Parts): void {
  if (list.matches(':popover-open')) list.hidePopover()
  field.setAttribute('aria-expanded', 'false')
  field.removeAttribute('aria-activedescendant')
}

function choose(box: Parts, project: string): void {
  close(box)
  box.field.value = project
  box.field.blur()
  if (project !== '') box.onChoose(project)
}

function mark({ list, field, active }: Parts): void {
  for (const [i, option] of list.querySelectorAll('[role=option]').entries())
    option.classList.toggle('active', i === active)
  const at = list.querySelector('.active')
  at?.scrollIntoView({ block: 'nearest' })
  if (at === null) field.removeAttribute('aria-activedescendant')
  else field.setAttribute('aria-activedescendant', at.id)
}

function onKey(box: Parts, event: KeyboardEvent): void {
  const { field, options } = box
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (by !== undefined) {
    if (!isOpen(box)) open(box, '')
    else {
      box.active = Math.min(Math.max(box.active + by, 0), options.length - 1)
      mark(box)
    }
  } else if (event.key === 'Enter') choose(box, chosenBy(box))
  else if (event.key === 'Escape') {
    field.value = box.chosen
    close(box)
    field.blur()
  } else return
  event.preventDefault()
}

/** Returns the project that Enter chooses: the marked one, the one of that name, the only one left, or a new name. */
function chosenBy({ field, options, active, list }: Parts): string {
  const text = field.value.trim()
  if (active >= 0) return options[active]!
  const isOnly = text !== '' && options.length === 1 && list.matches(':popover-open')
  return options.includes(text) || !isOnly ? text : options[0]!
}
