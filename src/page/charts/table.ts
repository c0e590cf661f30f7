import { element } from '../shared/dom.js'
import { count } from '../shared/format.js'

/** Rows of a table. Their texts are computed when they are shown. */
export interface Rows {
  names: readonly string[]
  count: number
  cellsOf(row: number): readonly string[]
}

/** Maximum of rows in the page at a time. */
const PAGE_ROWS = 200

/** Creates a table with a head of names. */
export function tableOf(names: readonly string[], rows: readonly (readonly string[])[]): HTMLTableElement {
  const head = element('thead', {}, element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name))))
  const body = element('tbody')
  for (const cells of rows) {
    body.append(element('tr', {}, ...cells.map((cell) => element('td', {}, cell))))
  }
  return element('table', {}, head, body)
}

/** Creates a table in `place` that shows one page of rows, with buttons after it if there are more. */
export function createPagedTable(place: Element): (rows: Rows) => void {
  const [earlier, later] = ['Earlier', 'Later'].map((text) => element('button', { type: 'button' }, text))
  const where = element('span', { role: 'status' })
  const nav = element('div', { class: 'pages' }, earlier!, where, later!)
  place.after(nav)
  let rows: Rows = { names: [], count: 0, cellsOf: () => [] }
  let first = 0

  function turnBy(by: number): void {
    const lastPage = Math.max(0, Math.ceil(rows.count / PAGE_ROWS) - 1) * PAGE_ROWS
    first = Math.min(Math.max(first + by, 0), lastPage)
    const end = Math.min(first + PAGE_ROWS, rows.count)
    const cells = Array.from({ length: end - first }, (_, i) => rows.cellsOf(first + i))
    place.replaceChildren(tableOf(rows.names, cells))
    nav.hidden = rows.count <= PAGE_ROWS
    where.textContent = `${count(first + 1)} to ${count(end)} of ${count(rows.count)}`
    earlier!.disabled = first === 0
    later!.disabled = first === lastPage
  }

  earlier!.addEventListener('click', () => turnBy(-PAGE_ROWS))
  later!.addEventListener('click', () => turnBy(PAGE_ROWS))
  return (next) => {
    rows = next
    turnBy(0)
  }
}
