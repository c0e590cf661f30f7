/** A long list of which only the rows in view are in the page. */
import { element } from '../../shared/dom.js'

/** Rows that are kept in the page before and after the rows in view. */
const OVERSCAN = 12

/** The rows of a list. */
interface WindowedRows {
  count: number
  /** Returns the element of a row. */
  elementOf(index: number): HTMLElement
}

/** A list that keeps the rows in view in the page. */
export interface Windowed {
  /** Shows rows instead of the previous rows. With `shift`, the rows in view move down by that many rows. */
  show(rows: WindowedRows, shift?: number): void
  /** Shows further rows after the shown rows. */
  grow(count: number): void
  /** Scrolls as little as needed to have a row in view. */
  reveal(index: number): void
  /** Returns the element of a row if it is in the page. */
  elementAt(index: number): HTMLElement | undefined
  /** The number of rows that are in view, at least one. */
  viewRows(): number
  toTop(): void
  /** Whether the first row is in view. */
  isAtTop(): boolean
}

interface WindowElements {
  readonly viewport: HTMLElement
  readonly body: HTMLElement
  readonly head: HTMLElement
  readonly onView: (from: number, to: number) => void
  rows: WindowedRows
  /** The elements that are in the page, by row. */
  shown: Map<number, HTMLElement>
  /** Height of a row, and of all rows in view. */
  height: number
  visible: number
}

/**
 * Makes a list of a scrolling element, below the first child, a head that sticks to the top. All rows have the height
 * that `rowHeight` returns, in pixels. `onView` is called with the range [from, to) of rows in view after each change.
 */
export function createWindowed(
  viewport: HTMLElement,
  rowHeight: () => number,
  onView: (from: number, to: number) => void,
): Windowed {
  const body = element('div', { class: 'rows', role: 'rowgroup' })
  const head = viewport.firstElementChild as HTMLElement
  viewport.append(body)
  const rows = { count: 0, elementOf: () => body }
  const list: WindowElements = { viewport, body, head, onView, rows, shown: new Map(), height: rowHeight(), visible: 0 }
  const renderSoon = oncePerFrame(() => render(list))

  viewport.addEventListener('scroll', renderSoon, { passive: true })
  // Measured only here: reading sizes while rows are added makes the browser lay out the rows again.
  new ResizeObserver(() => {
    const isSame = list.height === rowHeight()
    list.height = rowHeight()
    list.visible = Math.max(viewport.clientHeight - head.offsetHeight, list.height)
    if (isSame) renderSoon()
    else renderAll(list)
  }).observe(viewport)

  return {
    show(next, shift = 0) {
      const top = viewport.scrollTop
      list.rows = next
      body.style.height = `${next.count * list.height}px`
      if (shift !== 0 && top > 0) viewport.scrollTop = top + shift * list.height
      renderAll(list)
    },
    grow(count) {
      list.rows = { ...list.rows, count }
      body.style.height = `${count * list.height}px`
      render(list)
    },
    reveal: (index) => reveal(list, index),
    elementAt: (index) => list.shown.get(index),
    viewRows: () => Math.max(1, Math.floor(list.visible / list.height)),
    toTop() {
      viewport.scrollTop = 0
      render(list)
    },
    isAtTop: () => viewport.scrollTop < list.height,
  }
}

/** Returns a function that calls `run` in the next frame, however often called. */
function oncePerFrame(run: () => void): () => void {
  let isScheduled = false
  return () => {
    if (isScheduled) return
    isScheduled = true
    requestAnimationFrame(() => {
      isScheduled = false
      run()
    })
  }
}

function reveal(list: WindowElements, index: number): void {
  const { viewport, height } = list
  const [top, visible] = [index * height, list.visible]
  if (top < viewport.scrollTop) viewport.scrollTop = top
  else if (top + height > viewport.scrollTop + visible) viewport.scrollTop = top + height - visible
  render(list)
}

/** Adds the rows that came into view, and removes the rows that left the view. */
function render(list: WindowElements): void {
  const { viewport, body, rows, height } = list
  const from = Math.min(Math.floor(viewport.scrollTop / height), rows.count)
  const to = Math.min(from + Math.ceil(list.visible / height) + 1, rows.count)
  const shown = new Map<number, HTMLElement>()
  const added: HTMLElement[] = []
  for (let i = Math.max(0, from - OVERSCAN); i < Math.min(rows.count, to + OVERSCAN); i++) {
    const item = list.shown.get(i) ?? rows.elementOf(i)
    if (!list.shown.has(i)) {
      item.style.top = `${i * height}px`
      added.push(item)
    }
    shown.set(i, item)
  }
  for (const [i, item] of list.shown) if (!shown.has(i)) item.remove()
  body.append(...added)
  list.shown = shown
  list.onView(from, to)
}

function renderAll(list: WindowElements): void {
  list.body.style.height = `${list.rows.count * list.height}px`
  list.body.replaceChildren()
  list.shown = new Map()
  render(list)
}
