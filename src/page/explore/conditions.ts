/** The search box, the chips of the filters, and the button for errors only. */
import type { FilterEntry } from '../api/explore.js'
import { byId, element } from '../shared/dom.js'
import { filterText, isExclusion, withFilter, withoutFilter } from './filters.js'
import { phraseNote, readSearch } from './search-text.js'
import { sourceNamed } from './sources.js'
import type { State } from './state.js'

/** Milliseconds without a key before the words in the box are searched. */
const TYPING_MS = 300

/** A change of the state. `isStep`: the back button returns to the previous state. */
export type Change = (next: Partial<State>, isStep?: boolean) => void

/** The conditions that rows meet. */
export interface Conditions {
  show(state: State): void
  /** Shows an error of the conditions. An empty text removes the error. */
  problem(text: string): void
  toggleErrors(): void
}

/** Returns the problem of filters, or undefined if there is no problem or the check is impossible. */
export type Check = (filters: readonly FilterEntry[]) => Promise<string | undefined> | undefined

/**
 * Wires the search box. Words in the box are searched while the user types. Filters in the box become chips on Enter,
 * if the filters have no problem.
 */
export function createConditions(change: Change, check: Check): Conditions {
  const [form, field] = [byId<HTMLFormElement>('conditions'), byId<HTMLInputElement>('search')]
  const [chips, errors] = [byId('chips'), byId('errors')]
  let state: State | undefined
  let typing: ReturnType<typeof setTimeout> | undefined

  const problem = (text: string) => showProblem(field, text)
  const aliases = () => sourceNamed(state!.source).aliases
  const read = () => readSearch(field.value, aliases())
  const note = () => (byId('search-note').textContent = phraseNote(field.value, aliases()))
  const setFilters = (filters: readonly FilterEntry[]) => change({ filters }, true)

  async function submit(): Promise<void> {
    clearTimeout(typing)
    const text = field.value
    const reading = read()
    const found = reading.problem ?? (await check(reading.filters))
    // The text may have been changed since.
    if (field.value !== text) return
    problem(found ?? '')
    if (found !== undefined) return
    const filters = reading.filters.reduce<readonly FilterEntry[]>(withFilter, state!.filters)
    // A text in quotes keeps the quotes: without them, the text would be a phrase.
    if (reading.filters.length > 0) field.value = boxText(reading.search, phraseNote(text, aliases()) !== '')
    note()
    if (filters.length !== state!.filters.length || reading.search !== state!.search)
      change({ filters, search: reading.search }, filters.length !== state!.filters.length)
  }

  function typed(): void {
    clearTimeout(typing)
    problem('')
    note()
    const { filters, search, problem: found } = read()
    if (filters.length > 0 || found !== undefined || search === state!.search) return
    typing = setTimeout(() => change({ search }, false), TYPING_MS)
  }

  const toggleErrors = () => change({ isErrors: !state!.isErrors }, true)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  field.addEventListener('input', typed)
  errors.addEventListener('click', toggleErrors)

  return {
    show(next) {
      const before = state
      state = next
      // The text in the box stays as entered, unless the search changes.
      if (next.search !== before?.search && next.search !== read().search) field.value = boxText(next.search)
      note()
      showErrorsOnly(errors, next)
      showChips(chips, field, next.filters, setFilters)
    },
    problem,
    toggleErrors,
  }
}

function showErrorsOnly(button: HTMLElement, { isErrors, source }: State): void {
  button.setAttribute('aria-pressed', String(isErrors))
  button.title = `Only rows with ${sourceNamed(source).errors.text} (e)`
}

function showProblem(field: HTMLElement, text: string): void {
  byId('search-problem').textContent = text
  field.setAttribute('aria-invalid', String(text !== ''))
}

/** Returns a text for the box that is read as words only. `isPhrase`: several words may lack quotes. */
function boxText(search: string, isPhrase = true): string {
  const { filters, search: words } = readSearch(search)
  const isPlain = filters.length === 0 && words === search && (isPhrase || !/\s/.test(search))
  return isPlain ? search : `"${search.replace(/["\\]/g, '\\$&')}"`
}

function showChips(
  place: HTMLElement,
  field: HTMLElement,
  filters: readonly FilterEntry[],
  setFilters: (filters: readonly FilterEntry[]) => void,
): void {
  const remove = (filter: FilterEntry) => {
    setFilters(withoutFilter(filters, filter))
    // The chip that had the focus is gone.
    const next = place.querySelector<HTMLElement>('button')
    ;(next ?? field).focus()
  }
  const items = filters.map((filter) => {
    const text = filterText(filter)
    const chip = element(
      'button',
      { type: 'button', class: isExclusion(filter) ? 'chip not' : 'chip' },
      element('span', {}, text),
      element('b', { 'aria-hidden': 'true' }, '×'),
    )
    chip.title = `Remove ${text}`
    chip.setAttribute('aria-label', `Remove the filter ${text}`)
    chip.addEventListener('click', () => remove(filter))
    return element('li', {}, chip)
  })
  if (filters.length > 1) {
    const all = element('button', { type: 'button', class: 'link' }, 'Remove all')
    all.addEventListener('click', () => {
      setFilters([])
      field.focus()
    })
    items.push(element('li', {}, all))
  }
  place.replaceChildren(...items)
  place.hidden = filters.length === 0
}
