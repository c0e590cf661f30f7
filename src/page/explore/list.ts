/** The list of rows: newest first, older rows by scrolling, moved through with the keyboard. */
import type { LogRow, Place } from '../api/explore.js'
import { element } from '../shared/dom.js'
import { zoneName } from '../shared/times.js'
import type { RowStore } from './row-store.js'
import { gridOf, headOf, rowElement } from './row-view.js'
import { SOURCES, type SourceView } from './sources.js'
import { createWindowed } from './windowed.js'

/** Heights of a row in pixels: of a single line, and of two lines if the list is at most `NARROW_REM` wide. */
const [ROW_HEIGHT, TALL_ROW_HEIGHT, NARROW_REM] = [25, 46, 40]
/** Older rows are requested when fewer than this many screens are below the rows in view. */
const SCREENS_AHEAD = 2

/** Callbacks of the list. */
export interface ListEvents {
  /** Called when the user comes near the oldest row. */
  onNearEnd(): void
  /** Called when the user opens a row. */
  onOpen(row: LogRow): void
  /** Called when the user moves to another row with the keyboard. */
  onMove(row: LogRow): void
}

/** The list of rows. */
export interface List {
  /** Shows the rows of the store, of this source, with a text highlighted. `newer`: rows that were added on top. */
  show(source: SourceView, search: string, newer?: number): void
  /** Shows the rows that were added after the oldest row. */
  grow(): void
  /** Marks the open row. Undefined: no row. */
  markOpen(row: Place | undefined): void
  /** Moves to the next (1) or the previous (-1) row. */
  step(by: number): void
  focus(): void
  toTop(): void
  isAtTop(): boolean
}

interface Parts {
  readonly root: HTMLElement
  readonly store: RowStore
  readonly events: ListEvents
  source: SourceView
  search: string
  /** The row that the keyboard is at. */
  active: Place | undefined
  open: Place | undefined
  /** Rows on top that are new. */
  fresh: number
}

/** Creates the list in an element with role grid. */
export function createList(root: HTMLElement, store: RowStore, events: ListEvents): List {
  const head = element('div', { class: 'row head', role: 'row' })
  root.append(head)
  const list: Parts = {
    root,
    store,
    events,
    source: SOURCES[0],
    search: '',
    active: undefined,
    open: undefined,
    fresh: 0,
  }
  const windowed = createWindowed(root, () => rowHeight(root), onView)

  function onView(from: number, to: number): void {
    markActive(list)
    if (store.rows.length > 0 && store.rows.length - to < SCREENS_AHEAD * (to - from)) events.onNearEnd()
  }

  function moveTo(index: number): void {
    const at = Math.min(Math.max(index, 0), store.rows.length - 1)
    if (at < 0) return
    list.active = store.rows[at]
    windowed.reveal(at)
    markAll(list)
    events.onMove(store.rows[at])
  }

  const step = (by: number) => moveTo(list.active === undefined ? 0 : indexIn(list, list.active) + by)
  listenTo(list, { step, moveTo, pageRows: () => windowed.viewRows() - 1 })

  return {
    show(source, search, newer = 0) {
      if (source !== list.source) list.active = undefined
      Object.assign(list, { source, search, fresh: newer })
      root.style.setProperty('--columns', gridOf(source))
      root.setAttribute('aria-label', `Rows of ${source.name}, newest first`)
      head.replaceChildren(...headOf(source, `Time (${zoneName()})`))
      windowed.show({ count: store.rows.length, elementOf: (index) => elementOf(list, index) }, newer)
    },
    grow: () => windowed.grow(store.rows.length),
    markOpen(row) {
      list.open = row
      if (row !== undefined && store.indexOf(row) >= 0) list.active = row
      markAll(list)
    },
    step,
    focus: () => root.focus({ preventScroll: true }),
    toTop: windowed.toTop,
    isAtTop: windowed.isAtTop,
  }
}

function rowHeight({ offsetWidth }: HTMLElement): number {
  const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return offsetWidth <= NARROW_REM * remPx ? TALL_ROW_HEIGHT : ROW_HEIGHT
}

/** Returns the index of a row, or -1 if the list lacks the row. */
const indexIn = ({ store }: Parts, row: Place) => store.indexOf(row)

function elementOf(list: Parts, index: number): HTMLElement {
  const item = rowElement(list.store.rows[index], list.source, list.search)
  item.id = `row-${index}`
  item.classList.toggle('fresh', index < list.fresh)
  // The head is row 1.
  item.setAttribute('aria-rowindex', String(index + 2))
  mark(list, item)
  return item
}

const rowOf = ({ store }: Parts, item: HTMLElement): LogRow | undefined => store.rows[Number(item.id.slice(4))]

const isSamePlace = (a: Place | undefined, b: Place | undefined) =>
  a !== undefined && a.timestampUs === b?.timestampUs && a.rank === b.rank

function mark(list: Parts, item: HTMLElement): void {
  const row = rowOf(list, item)
  item.classList.toggle('active', isSamePlace(row, list.active))
  item.setAttribute('aria-selected', String(isSamePlace(row, list.open)))
}

function markAll(list: Parts): void {
  for (const item of list.root.querySelectorAll<HTMLElement>('.rows > .row')) mark(list, item)
  markActive(list)
}

/** Tells screen readers which row the keyboard is at, as long as it is in the page. */
function markActive({ root }: Parts): void {
  const id = root.querySelector('.rows > .active')?.id
  if (id === undefined) root.removeAttribute('aria-activedescendant')
  else root.setAttribute('aria-activedescendant', id)
}

function openActive(list: Parts): void {
  const row = list.active && list.store.rows[indexIn(list, list.active)]
  if (row !== undefined) list.events.onOpen(row)
}

interface Moves {
  step(by: number): void
  moveTo(index: number): void
  pageRows(): number
}

function listenTo(list: Parts, { step, moveTo, pageRows }: Moves): void {
  const moves: Record<string, () => void> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    PageDown: () => step(pageRows()),
    PageUp: () => step(-pageRows()),
    Home: () => moveTo(0),
    End: () => moveTo(list.store.rows.length - 1),
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
    if (item === null || !getSelection()?.isCollapsed) return
    list.active = rowOf(list, item)
    markAll(list)
    openActive(list)
  })
}
