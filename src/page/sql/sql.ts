/** The view of queries in SQL: an editor, and the rows of the query that was run last. */
import { createAnswerView } from '../answer/answer-view.js'
import { createExportButton } from '../export/export-button.js'
import { element } from '../shared/dom.js'
import { storedIn } from '../shared/stored.js'
import { fullTime } from '../shared/times.js'
import { createEditor } from './editor.js'
import { exportSourceOf } from './export.js'
import { createFieldCache } from './field-cache.js'
import { clearRuns, type Run, runs } from './history.js'
import { sqlLanguage } from './language.js'
import { createLayout } from './layout.js'
import { type Choice, createPicker } from './picker.js'
import { cancel, rerun, run, showNoRows, showProblem } from './run.js'
import { type AlertDialog, createAlertDialog } from './save/alert-dialog.js'
import { createSaveDialog } from './save/save-dialog.js'
import type { SqlHost, SqlShown, SqlViewElements } from './sql-view-elements.js'
import { TEMPLATES } from './templates.js'

/** The interface of the view to the page. */
export interface SqlView {
  /**
   * Shows a project, a range and a query. A query runs if the user says so, and again when the user chooses another
   * project or range. A link or the back button never runs a query.
   */
  show(shown: SqlShown): void
  /** Runs the query again, if it was run. */
  refresh(): void
  /** Cancels a query that is running. */
  stop(): void
  /** Shows times and colours again, with the current zone and theme. */
  redraw(): void
  /** Moves the focus to the editor. */
  focus(): void
}

/** The text in the editor, for this tab: a reload does not lose the text. */
const draft = storedIn('sessionStorage', 'logweir-sql-draft')

/** Creates the view in `root`. */
export function createSqlView(root: HTMLElement, host: SqlHost): SqlView {
  const layout = createLayout(root)
  const fields = createFieldCache()
  const answer = createAnswerView('Rows of the query')
  layout.result.prepend(answer.root)
  const language = sqlLanguage({
    names: () => host.sourcesOf(view.shown.project),
    fieldsOf: (source) => fields.known(view.shown, source),
    load: (sources) => fields.load(view.shown, sources),
  })
  const editor = createEditor(layout.editor, language, {
    run: () => void run(view, 'rows'),
    onChange: (text) => onChange(view, text),
  })
  const view: SqlViewElements = {
    ...{ host, layout, answer, editor },
    ...{ shown: { project: '', range: { preset: '1hr' }, sql: '' }, last: undefined },
    ...{ answered: undefined, running: undefined },
  }
  const { close } = wire(view, root)
  answer.tools.append(createExportButton(() => exportSourceOf(view)))
  let isFirst = true
  return {
    show(shown) {
      const before = view.shown
      view.shown = shown
      if (isFirst) open(view, shown.sql || draft.read() || TEMPLATES[0].sql)
      else if (shown.sql !== '' && shown.sql !== before.sql) open(view, shown.sql)
      if (!isFirst && isElsewhere(before, shown)) rerun(view)
      isFirst = false
    },
    refresh: () => rerun(view),
    stop() {
      close()
      cancel(view)
    },
    redraw: () => answer.redraw(),
    focus: editor.focus,
  }
}

/** Shows the query of a link or of the back button, without a run. */
function open(view: SqlViewElements, sql: string): void {
  if (sql === view.editor.text()) return
  cancel(view)
  view.editor.show(sql)
  showProblem(view, '')
  showNoRows(view, 'Run the query to see its rows.')
}

const isElsewhere = (before: SqlShown, { project, range }: SqlShown) =>
  before.project !== project || JSON.stringify(before.range) !== JSON.stringify(range)

/** Stores a changed text, and removes the error of the previous text. */
function onChange(view: SqlViewElements, text: string): void {
  draft.write(text)
  showProblem(view, '')
}

/** Wires the buttons. Returns the dialog that sends requests. */
function wire(view: SqlViewElements, root: HTMLElement): AlertDialog {
  const { layout, editor } = view
  const write = (sql: string) => {
    editor.show(sql)
    editor.focus()
  }
  const clear = element('button', { type: 'button' }, 'Clear')
  const templates = createPicker(root, { title: 'Templates', empty: '' }, write)
  const history = createPicker(root, { title: 'History', empty: 'No query was run yet.', actions: [clear] }, write)
  const save = createSaveDialog(root)
  const saveAlert = createAlertDialog(root, { onFailure: view.host.isHandled, onClose: write })
  clear.addEventListener('click', () => {
    clearRuns()
    history.open([])
  })
  layout.run.addEventListener('click', () => (view.running === undefined ? void run(view, 'rows') : cancel(view)))
  layout.explain.addEventListener('click', () => void run(view, 'plan'))
  layout.templates.addEventListener('click', () => templates.open(TEMPLATES))
  layout.history.addEventListener('click', () => history.open(runs().map(choiceOf)))
  layout.save.addEventListener('click', () => save(editor.text()))
  layout.saveAlert.addEventListener('click', () => saveAlert.open(editor.text()))
  return saveAlert
}

const choiceOf = ({ sql, atMs }: Run): Choice => ({ title: fullTime(atMs * 1_000).replace(/\.\d+/, ''), sql })
