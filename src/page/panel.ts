import type { Failure } from './api.js'
import { byId } from './dom.js'
import { createPagedTable, type Rows } from './table.js'

/** A part of the page that shows one answer, or says why it does not. */
export interface Panel {
  readonly root: HTMLElement
  /** What a part of the page is about: its window, its age. */
  subtitle(text: string): void
  /** Until there is an answer: what was there before stays to be seen, faintly. */
  loading(): void
  shown(): void
  empty(text: string): void
  failed(failure: Failure): void
}

export function createPanel(id: string): Panel {
  const root = byId(id)
  const [state, window] = [root.querySelector('.state')!, root.querySelector('.window')!]
  root.dataset.state = 'first'

  function enter(name: string, text: string): void {
    root.dataset.state = name
    root.setAttribute('aria-busy', String(name === 'loading' || name === 'first'))
    state.textContent = text
  }

  return {
    root,
    subtitle: (text) => {
      window.textContent = text
    },
    loading: () =>
      enter(root.dataset.state === 'shown' || root.dataset.state === 'loading' ? 'loading' : 'first', 'Asking …'),
    shown: () => enter('shown', ''),
    empty: (text) => enter('empty', text),
    failed: (failure) =>
      enter('failed', `${failure.message}${failure.retryS === undefined ? '' : '\nIt is asked again by itself.'}`),
  }
}

/** Fills the details that show values as a table, when they are opened and whenever they change. */
export function createValues(panel: Panel): (rows: Rows) => void {
  const details = panel.root.querySelector<HTMLDetailsElement>('.values')!
  const show = createPagedTable(details.querySelector('.scroll')!)
  let rows: Rows | undefined
  const fill = () => {
    if (details.open && rows !== undefined) show(rows)
  }
  details.addEventListener('toggle', fill)
  return (next) => {
    rows = next
    fill()
  }
}
