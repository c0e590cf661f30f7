/** The elements of the view. */
import { element } from '../shared/dom.js'

/** The elements that the view changes. */
export interface Layout {
  /** Contains the editor. */
  readonly editor: HTMLElement
  readonly problem: HTMLElement
  /** Warnings about the query that was answered. */
  readonly warnings: HTMLElement
  readonly run: HTMLButtonElement
  readonly explain: HTMLButtonElement
  readonly templates: HTMLButtonElement
  readonly history: HTMLButtonElement
  readonly save: HTMLButtonElement
  readonly saveAlert: HTMLButtonElement
  /** Contains the answer. */
  readonly result: HTMLElement
  /** Shows a plan in place of the answer. */
  readonly plan: HTMLElement
}

/** Creates the elements in the root of the view. */
export function createLayout(root: HTMLElement): Layout {
  const layout: Layout = {
    editor: element('div'),
    problem: element('p', { class: 'error sql-problem', role: 'alert' }),
    warnings: element('ul', { class: 'sql-warnings', role: 'status', 'aria-label': 'Warnings', hidden: '' }),
    run: button('Run', 'Run the query (Ctrl+Enter)'),
    explain: button('Explain', 'Show the steps of the query with their numbers of rows'),
    templates: button('Templates', 'Queries to begin with'),
    history: button('History', 'Queries that were run in this browser'),
    save: button('Save as endpoint', 'Make a file of the query, with which the service answers it as an endpoint'),
    saveAlert: button('Save as alert', 'Make a file of the query, with which the service alerts on its rows'),
    result: element('div', { class: 'card sql-result' }),
    plan: element('section', { class: 'sql-plan', 'aria-label': 'Plan of the query', hidden: '' }),
  }
  layout.run.classList.add('first')
  const actions = element(
    'div',
    { class: 'sql-actions', role: 'group', 'aria-label': 'Query' },
    ...[layout.run, layout.explain],
    element('span', { class: 'fine' }, 'Ctrl+Enter runs, Ctrl+Space suggests'),
    ...[layout.templates, layout.history, layout.save, layout.saveAlert],
  )
  const query = element('section', { class: 'card sql-query', 'aria-label': 'Query' })
  query.append(layout.editor, layout.problem, layout.warnings, actions)
  layout.result.append(layout.plan)
  root.replaceChildren(query, layout.result)
  return layout
}

const button = (text: string, title: string) => element('button', { type: 'button', title }, text)
