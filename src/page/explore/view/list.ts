/** The list of rows: newest first, older rows by scrolling, moved through with the keyboard. */
import { type LogRow, type Place, placeOf } from '../../api/explore.js'
import { element } from '../../shared/dom.js'
import { zoneName } from '../../shared/times.js'
import type { Send } from '../model/message.js'
import type { Draw, Model } from '../model/model.js'
import { indexOfRow } from '../model/row-store.js'
import { sourceNamed } from '../model/sources.js'
import { gridOf, headOf, rowElement } from './row-view.js'
import { createWindowed, type Windowed } from './windowed.js'

/** Heights of a row in pixels: of a single line, and of two lines if the list is at most `NARROW_REM` wide. */
const [ROW_HEIGHT, TALL_ROW_HEIGHT, NARROW_REM] = [25, 46, 40]
/** Older rows are requested when fewer than this many screens are below the rows in view. */
const SCREENS_AHEAD = 2

/** The list of rows. */
export interface List {
  draw: Draw
  /** Shows the same rows again, with the current zone and theme. */
  redraw(): void
  /** Moves to the next (1) or the previous (-1) row. */
  step(by: number): void
  focus(): void
  toTop(): void
}

interface ListView {
  readonly root: HTMLElement
  readonly head: HTMLElement
  readonly windowed: Windowed
  readonly send: Send
  /** Called when the user has opened a row. */
  readonly onOpened: () => void
  /** The model that is drawn. */
  model: Model
  /** Source and search of the rows. */
  shown: Pick<Model['asked'], 'source' | 'search'>
}

/** Creates the list in an element with role grid. */
export function createList(root: HTMLElement, model: Model, send: Send, onOpened: () => void): List {
  const head = element('div', { class: 'row head', role: 'row' })
  root.append(head)
  const windowed = createWindowed(root, () => rowHeight(root), onView)
  const list: ListView = { root, head, windowed, send, onOpened, model, shown: model.asked }

  function onView(from: number, to: number): void {
    markActive(root)
    const { rows } = list.model
    const isNearEnd = rows.length > 0 && rows.length - to < SCREENS_AHEAD * (to - from)
    send({ kind: 'scrolled', isAtTop: from === 0, isNearEnd })
  }

  listenTo(list)
  return {
    draw(next, before) {
      list.model = next
      if (next.rows !== before?.rows) drawRows(list, before)
      else if (next.active !== before.active || next.asked.record !== before.asked.record) markAll(list)
    },
    redraw: () => showRows(list),
    step: (by) => step(list, by),
    focus: () => root.focus({ preventScroll: true }),
    toTop: windowed.toTop,
  }
}

function rowHeight({ offsetWidth }: HTMLElement): number {
  const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return offsetWidth <= NARROW_REM * remPx ? TALL_ROW_HEIGHT : ROW_HEIGHT
}

function drawRows(list: ListView, before: Model | undefined): void {
  const { model, windowed } = list
  const isSameLoad = before?.rowsId === model.rowsId
  if (isSameLoad && isGrown(before.rows, model.rows)) {
    windowed.grow(model.rows.length)
    return
  }
  list.shown = model.asked
  showRows(list, isSameLoad ? model.fresh : 0)
  if (!isSameLoad) windowed.toTop()
}

/** Whether rows have been added after the oldest row, and nowhere else. */
const isGrown = (before: readonly LogRow[], rows: readonly LogRow[]) =>
  before.length > 0 && rows.length > before.length && rows[before.length - 1] === before.at(-1)

/** Shows the rows of the model. `newer`: the number of rows that were added on top. */
function showRows(list: ListView, newer = 0): void {
  const { root, head, windowed, model, shown } = list
  const source = sourceNamed(shown.source)
  root.style.setProperty('--columns', gridOf(source))
  root.setAttribute('aria-label', `Rows of ${source.name}, newest first`)
  head.replaceChildren(...headOf(source, `Time (${zoneName()})`))
  windowed.show({ count: model.rows.length, elementOf: (index) => elementOf(list, index) }, newer)
}

function elementOf(list: ListView, index: number): HTMLElement {
  const { model, shown } = list
  const item = rowElement(model.rows[index], sourceNamed(shown.source), shown.search)
  item.id = `row-${index}`
  item.classList.toggle('fresh', index < model.fresh)
  // The head is row 1.
  item.setAttribute('aria-rowindex', String(index + 2))
  mark(list, item)
  return item
}

const rowOf = ({ model }: ListView, item: HTMLElement): LogRow | undefined => model.rows[Number(item.id.slice(4))]

const isSamePlace = (a: Place | undefined, b: Place | undefined) =>
  a !== undefined && a.timestampUs === b?.timestampUs && a.rank === b.rank

function mark(list: ListView, item: HTMLElement): void {
  const { active, asked } = list.model
  const row = rowOf(list, item)
  item.classList.toggle('active', isSamePlace(row, active))
  const open = asked.record === '' ? undefined : placeOf(asked.record)
  item.setAttribute('aria-selected', String(isSamePlace(row, open)))
}

function markAll(list: ListView): void {
  for (const item of list.root.querySelectorAll<HTMLElement>('.rows > .row')) mark(list, item)
  markActive(list.root)
}

/** Tells screen readers which row the keyboard is at, as long as it is in the page. */
function markActive(root: HTMLElement): void {
  const id = root.querySelector('.rows > .active')?.id
  if (id === undefined) root.removeAttribute('aria-activedescendant')
  else root.setAttribute('aria-activedescendant', id)
}

function moveTo({ model, windowed, send }: ListView, index: number): void {
  const at = Math.min(Math.max(index, 0), model.rows.length - 1)
  if (at < 0) return
  send({ kind: 'movedTo', row: model.rows[at] })
  windowed.reveal(at)
}

function step(list: ListView, by: number): void {
  const { active, rows } = list.model
  moveTo(list, active === undefined ? 0 : indexOfRow(rows, active) + by)
}

function open({ send, onOpened }: ListView, row: LogRow | undefined): void {
  if (row === undefined) return
  send({ kind: 'rowOpened', row })
  onOpened()
}

function openActive(list: ListView): void {
  const { active, rows } = list.model
  open(list, active && rows[indexOfRow(rows, active)])
}

function listenTo(list: ListView): void {
  const pageRows = () => list.windowed.viewRows() - 1
  const moves: Record<string, () => void> = {
    ArrowDown: () => step(list, 1),
    ArrowUp: () => step(list, -1),
    PageDown: () => step(list, pageRows()),
    PageUp: () => step(list, -pageRows()),
    Home: () => moveTo(list, 0),
    End: () => moveTo(list, list.model.rows.length - 1),
    Enter: () => openActive(list),
    ' ': () => openActive(list),
  }
  list.root.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(moves, event.key)) return
    event.preventDefault()
    moves[event.key]()
  })
  list.root.addEventListener('click', ({ target }) => {
    const item = (target as Element).closest<HTMLElement>('.rows > .row')
    // A text that was selected with the pointer is to be copied.
    if (item !== null && getSelection()?.isCollapsed) open(list, rowOf(list, item))
  })
}
