import { createPagedTable, type Rows } from '../answer/table.js'
import type { Failure } from '../api/api.js'

/** A part of the page that shows an answer, or the reason why there is no answer. */
export interface Panel {
  readonly root: HTMLElement
  /** Shows the window and the age of the answer. */
  subtitle(text: string): void
  /** Called when a request is sent. The previous answer stays visible, dimmed. */
  loading(): void
  shown(): void
  empty(text: string): void
  failed(failure: Failure): void
}

/** Creates the panel of an element, which contains `.state` and `.window`. */
export function createPanel(root: HTMLElement): Panel {
  const [state, window] = [root.querySelector('.state')!, root.querySelector('.window')!]
  root.dataset.state = 'first'

  function setState(name: string, text: string): void {
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
      setState(root.dataset.state === 'shown' || root.dataset.state === 'loading' ? 'loading' : 'first', 'Loading …'),
    shown: () => setState('shown', ''),
    empty: (text) => setState('empty', text),
    failed: (failure) =>
      setState('failed', `${failure.message}${failure.retryS === undefined ? '' : '\nRetrying automatically.'}`),
  }
}

/**
 * Creates the table of a panel's values. The table is filled when the details are opened, and when the values change.
 */
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
