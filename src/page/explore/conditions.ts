/** The search box, the chips of the filters, and the button for errors only. */
import type { FilterEntry } from '../api/explore.js'
import { byId, element } from '../shared/dom.js'
import { filterText, isExclusion, withFilter, withoutFilter } from './filters.js'
import { phraseNote, readSearch } from './search-text.js'
import { sourceNamed } from './sources.js'
import type { State } from './state.js'

/** Milliseconds without a key before the words in the box are searched. */
const TYPING_MS = 300

/** A change of the state; `isStep`: the back button returns to the previous one. */
export type Change = (next: Partial<State>, isStep?: boolean) => void

/** The conditions that rows meet. */
export interface Conditions {
  show(state: State): void
  /** Shows an error of the conditions; an empty text removes it. */
  problem(text: string): void
  toggleErrors(): void
}

/** Returns what is wrong with filters; undefined if nothing is, or if that cannot be found out. */
export type Check = (filters: readonly FilterEntry[]) => Promise<string | undefined> | undefined

/**
 * Wires the search box. Words in it are searched while the user types; filters in it become chips on Enter, if nothing
 * is wrong with them.
 */
export function createConditions(change: Change, check: Check): Conditions {
  const [form, field] = [byId<HTMLFormElement>('conditions'), byId<HTMLInputElement>('search')]
  const [chips, errors] = [byId('chips'), byId('errors')]
  let state: State | undefined
  let typing: ReturnType<typeof setTimeout> | undefined

  const problem = (text: string) => {
    byId('search-problem').textContent = text
    field.setAttribute('aria-invalid', String(text !== ''))
  }
  const read = () => readSearch(field.value, sourceNamed(state!.source).aliases)
  const note = () => {
    byId('search-note').textContent = phraseNote(field.value, sourceNamed(state!.source).aliases)
  }
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
    // A text in quotes keeps them: without them it would be a phrase.
    if (reading.filters.length > 0) field.value = boxText(reading.search)
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
      // The text in the box stays as the user entered it, unless it is of another search.
      if (next.search !== before?.search && next.search !== read().search) field.value = boxText(next.search)
      note()
      errors.setAttribute('aria-pressed', String(next.isErrors))
      errors.title = `Only rows with ${sourceNamed(next.source).errors.text} (e)`
      showChips(chips, field, next.filters, setFilters)
    },
    problem,
    toggleErrors,
  }
}

/** Returns a text as it has to be in the box to be read as words only. */
function boxText(search: string): string {
  const { filters, search: words } = readSearch(search)
  return filters.length === 0 && words === search ? search : `"${search.replace(/["\\]/g, '\\$&')}"`
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
