import { element } from '../shared/dom.js'
import { count } from '../shared/format.js'

/** A cell: a text or an element, and the class of the cell. */
export type Cell = string | { text: string | HTMLElement; class?: string }

/** Rows of a table. The cells of a row are made when the row is shown. */
export interface Rows {
  names: readonly string[]
  /** Classes of the cells of each column, head included. */
  classes?: readonly string[]
  count: number
  cellsOf(row: number): readonly Cell[]
}

/** Maximum of rows in the page at a time. */
const PAGE_ROWS = 200

/** Creates a table with a head of names. */
export function tableOf(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  classes: readonly string[] = [],
): HTMLTableElement {
  const classAt = (column: number, more = ''): Record<string, string> => {
    const all = `${classes[column] ?? ''} ${more}`.trim()
    return all === '' ? {} : { class: all }
  }
  const heads = names.map((name, column) => element('th', { scope: 'col', ...classAt(column) }, name))
  const body = element('tbody')
  for (const cells of rows) {
    const made = cells.map((cell, column) =>
      typeof cell === 'string'
        ? element('td', classAt(column), cell)
        : element('td', classAt(column, cell.class), cell.text),
    )
    body.append(element('tr', {}, ...made))
  }
  return element('table', {}, element('thead', {}, element('tr', {}, ...heads)), body)
}

/** Texts of the buttons that turn pages. */
const BY_TIME = ['Earlier', 'Later'] as const

/**
 * Creates a table in `place` that shows a page of rows, with buttons after the table if there are more pages. The
 * returned function shows other rows, at the same page or from the first page.
 */
export function createPagedTable(
  place: Element,
  turns: readonly [string, string] = BY_TIME,
): (rows: Rows, isFromFirst?: boolean) => void {
  const [back, forward] = turns.map((text) => element('button', { type: 'button' }, text))
  const where = element('span', { role: 'status' })
  const nav = element('div', { class: 'pages' }, back!, where, forward!)
  place.after(nav)
  let rows: Rows = { names: [], count: 0, cellsOf: () => [] }
  let first = 0

  function turnBy(by: number): void {
    const lastPage = Math.max(0, Math.ceil(rows.count / PAGE_ROWS) - 1) * PAGE_ROWS
    first = Math.min(Math.max(first + by, 0), lastPage)
    const end = Math.min(first + PAGE_ROWS, rows.count)
    const cells = Array.from({ length: end - first }, (_, i) => rows.cellsOf(first + i))
    place.replaceChildren(tableOf(rows.names, cells, rows.classes))
    nav.hidden = rows.count <= PAGE_ROWS
    where.textContent = `${count(first + 1)} to ${count(end)} of ${count(rows.count)}`
    back!.disabled = first === 0
    forward!.disabled = first === lastPage
  }

  back!.addEventListener('click', () => turnBy(-PAGE_ROWS))
  forward!.addEventListener('click', () => turnBy(PAGE_ROWS))
  return (next, isFromFirst = false) => {
    rows = next
    turnBy(isFromFirst ? -first : 0)
  }
}
