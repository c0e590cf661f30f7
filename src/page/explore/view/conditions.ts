/** The search box, the chips of the filters, and the button for errors only. */
import type { FilterEntry } from '../../api/explore.js'
import { buttonOf, byId, element } from '../../shared/dom.js'
import { placeBelow } from '../../shared/place-below.js'
import { filterText, isExclusion, withoutFilter } from '../model/filters.js'
import type { Send } from '../model/message.js'
import type { Draw } from '../model/model.js'
import { sourceNamed } from '../model/sources.js'
import type { State } from '../model/state.js'
import { boxNote } from '../model/update-search.js'

/** Wires the conditions in the page's elements. */
export function createConditions(send: Send): Draw {
  const [form, field] = [byId<HTMLFormElement>('conditions'), byId<HTMLInputElement>('search')]
  const [chips, errors] = [byId('chips'), byId('errors')]
  const setFilters = (filters: readonly FilterEntry[]) =>
    send({ kind: 'changed', next: { filters, record: '' }, isStep: true })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send({ kind: 'submitted', box: field.value })
  })
  field.addEventListener('input', () => send({ kind: 'typed', box: field.value }))
  errors.addEventListener('click', () => send({ kind: 'errorsToggled' }))
  byId('syntax').addEventListener('toggle', () => placeBelow(byId('syntax'), byId('search-help')))

  return (model, before) => {
    const { asked, box, problem } = model
    if (field.value !== box) field.value = box
    if (box !== before?.box || asked.source !== before.asked.source) byId('search-note').textContent = boxNote(model)
    if (problem !== before?.problem) showProblem(field, problem)
    if (asked === before?.asked) return
    showErrorsOnly(errors, asked)
    if (asked.filters !== before?.asked.filters) showChips(chips, field, asked.filters, setFilters)
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
    const removeAll = () => {
      setFilters([])
      field.focus()
    }
    items.push(element('li', {}, buttonOf('Remove all', removeAll, { class: 'link' })))
  }
  place.replaceChildren(...items)
  place.hidden = filters.length === 0
}
