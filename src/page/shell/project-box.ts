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

/** Sums the rows of projects, most rows first. */
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

/** Callbacks of the field. */
export interface ProjectBoxEvents {
  /** Called with the name of a project, known or not. */
  onChoose(project: string): void
  /** Asks for more projects with a text in their names. See `find` of known-projects.ts. */
  find(text: string): Promise<readonly ProjectRow[] | undefined> | undefined
}

interface ProjectBoxElements {
  readonly field: HTMLInputElement
  readonly list: HTMLElement
  readonly events: ProjectBoxEvents
  chosen: string
  projects: readonly Project[]
  /** Names of the projects in the list. */
  options: readonly string[]
  /** The text that the projects in the list match. */
  matched: string
  /** Resolves when the list has the projects that the service found for the text in the field. */
  searching: Promise<void>
  /** The option that the keyboard is at. -1: the text in the field. */
  active: number
}

/** Wires the box in the header. */
export function createProjectBox(events: ProjectBoxEvents): ProjectBox {
  const [field, list] = [byId<HTMLInputElement>('project'), byId('project-options')]
  const box: ProjectBoxElements = {
    ...{ field, list, events, chosen: '', projects: [], options: [], matched: '', active: -1 },
    searching: Promise.resolve(),
  }
  field.addEventListener('focus', () => field.select())
  field.addEventListener('click', () => open(box, ''))
  field.addEventListener('input', () => startSearch(box))
  field.addEventListener('blur', () => close(box))
  field.addEventListener('keydown', (event) => onKey(box, event))
  // Keeps the focus in the field until the click has chosen an option.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', ({ target }) => {
    const option = (target as Element).closest<HTMLElement>('[data-project]')
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
      const isWriting = document.activeElement === field && field.value !== box.chosen
      if (isWriting) startSearch(box)
      else if (isOpen(box)) open(box, '')
    },
    focus: () => field.focus(),
  }
}

const isOpen = ({ list }: ProjectBoxElements) => list.matches(':popover-open')

function startSearch(box: ProjectBoxElements): void {
  box.searching = search(box)
}

/** Shows the known projects with the text of the field in their names, then the projects that the service finds. */
async function search(box: ProjectBoxElements): Promise<void> {
  const { field, events } = box
  const text = field.value
  const finding = text.trim() === '' ? undefined : events.find(text.trim())
  open(box, text, finding !== undefined)
  const found = await finding
  const isWanted = field.value === text && document.activeElement === field
  // After a failure, the known projects stay.
  if (finding !== undefined && isWanted) list(box, found === undefined ? matching(box, text) : projectsOf(found), text)
}

const matching = ({ projects }: ProjectBoxElements, text: string): readonly Project[] =>
  projects.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))

/** Shows the known projects with a text in their names. */
function open(box: ProjectBoxElements, text: string, isSearching = false): void {
  list(box, matching(box, text), text, isSearching)
}

/** Shows projects with a text in their names, to choose from. `isSearching`: the service is asked for more. */
function list(box: ProjectBoxElements, found: readonly Project[], text: string, isSearching = false): void {
  const shown = found.slice(0, MAX_OPTIONS)
  box.options = shown.map(({ name }) => name)
  box.matched = text.trim()
  box.active = -1
  const note = noteOf(box, found.length, found.length - shown.length, isSearching)
  if (shown.length === 0 && note === '') {
    close(box)
    return
  }
  // A list must have an option. Without a project, the note is the option.
  const role: Record<string, string> =
    shown.length === 0 ? { role: 'option', 'aria-disabled': 'true' } : { role: 'presentation' }
  box.list.replaceChildren(
    ...shown.map((project, i) => optionOf(project, i, project.name === box.chosen)),
    ...(note === '' ? [] : [element('li', { class: 'fine', ...role }, note)]),
  )
  if (!isOpen(box)) box.list.showPopover()
  placeBelow(box.list, box.field)
  box.field.setAttribute('aria-expanded', 'true')
  mark(box)
}

function noteOf({ field, projects }: ProjectBoxElements, found: number, more: number, isSearching: boolean): string {
  if (isSearching) return 'Searching …'
  if (more > 0) return `${shortCount(more)} more: type a part of the name`
  const text = field.value.trim()
  return found > 0 || text === '' || projects.length === 0
    ? ''
    : `No project matches “${text}”. Enter opens a project by its whole name.`
}

function optionOf({ name, rows }: Project, i: number, isChosen: boolean): HTMLElement {
  return element(
    'li',
    { role: 'option', id: `project-${i}`, 'data-project': name, 'aria-selected': String(isChosen) },
    element('span', { class: 'name' }, name),
    element('span', { class: 'number' }, shortCount(rows)),
  )
}

function close({ list, field }: ProjectBoxElements): void {
  if (list.matches(':popover-open')) list.hidePopover()
  field.setAttribute('aria-expanded', 'false')
  field.removeAttribute('aria-activedescendant')
}

function choose(box: ProjectBoxElements, project: string): void {
  close(box)
  box.field.value = project
  box.field.blur()
  if (project !== '') box.events.onChoose(project)
}

function mark({ list, field, active }: ProjectBoxElements): void {
  for (const [i, option] of list.querySelectorAll('[role=option]').entries())
    option.classList.toggle('active', i === active)
  const at = list.querySelector('.active')
  at?.scrollIntoView({ block: 'nearest' })
  if (at === null) field.removeAttribute('aria-activedescendant')
  else field.setAttribute('aria-activedescendant', at.id)
}

function onKey(box: ProjectBoxElements, event: KeyboardEvent): void {
  const { field, options } = box
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (by !== undefined) {
    if (!isOpen(box)) open(box, '')
    else {
      box.active = Math.min(Math.max(box.active + by, 0), options.length - 1)
      mark(box)
    }
  } else if (event.key === 'Enter') void enter(box)
  else if (event.key === 'Escape') {
    field.value = box.chosen
    close(box)
    field.blur()
  } else return
  event.preventDefault()
}

/** Chooses when all projects with the text are known: the service may find the first project. */
async function enter(box: ProjectBoxElements): Promise<void> {
  const text = box.field.value
  if (box.active < 0 && !box.options.includes(text.trim())) await box.searching
  // The user may have written more, or left the field.
  if (box.field.value === text && document.activeElement === box.field) choose(box, chosenBy(box))
}

/**
 * Returns the project that Enter chooses: the marked project, the project of the name, the first match, or a new
 * project.
 */
function chosenBy({ field, options, active, matched, chosen }: ProjectBoxElements): string {
  const text = field.value.trim()
  if (active >= 0) return options[active]
  const isMatch = text !== '' && text !== chosen && text === matched && !options.includes(text)
  return isMatch ? (options[0] ?? text) : text
}
