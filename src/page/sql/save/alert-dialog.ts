/** The dialog that makes a `.sql` file of a query, with which the service alerts. The page never writes the file. */
import type { Failure } from '../../api/api.js'
import { copyText } from '../../shared/copy.js'
import { buttonOf, element } from '../../shared/dom.js'
import { type AlertDraft, type AlertFields, alertFile, draftOf, fieldProblem } from './alert-file.js'
import { type BacktestView, createBacktest } from './backtest.js'

/** Callbacks of the dialog. */
export interface AlertDialogHost {
  /** Returns true if the failure was handled by signing out. */
  onFailure(failure: Failure): boolean
  /** Called with the query if the user has changed it in the dialog: with the whole file if the query was a rule. */
  onClose(query: string): void
}

const FIELDS = ['every', 'for', 'severity', 'notify', 'labels'] as const

interface AlertDialogElements {
  readonly dialog: HTMLDialogElement
  readonly inputs: Readonly<Record<'name' | keyof AlertFields, HTMLInputElement>>
  readonly query: HTMLTextAreaElement
  readonly problem: HTMLElement
  readonly file: HTMLElement
  readonly where: HTMLElement
  readonly said: HTMLElement
  readonly backtest: BacktestView
  draft: AlertDraft
  /** The query when the dialog was opened. */
  opened: string
}

/** The dialog of a rule, with its fields, its file and its backtest. */
export interface AlertDialog {
  /** Opens the dialog with a query, which may be the text of a rule. */
  open(sql: string): void
  close(): void
}

/** Creates the dialog at the end of `place`. */
export function createAlertDialog(place: HTMLElement, { onFailure, onClose }: AlertDialogHost): AlertDialog {
  const elements: AlertDialogElements = {
    dialog: element('dialog', { class: 'sql-dialog', 'aria-labelledby': 'sql-alert-title' }),
    inputs: {
      name: inputOf('my-alert', ''),
      every: inputOf('', '1m'),
      for: inputOf('', 'at once'),
      severity: inputOf('', 'warning'),
      notify: inputOf('', 'nobody'),
      labels: inputOf('', 'keys of GROUP BY'),
    },
    query: element('textarea', { ...PLAIN, rows: '8' }),
    problem: element('p', { id: 'sql-alert-problem', class: 'error', role: 'alert' }),
    file: element('pre', { class: 'sql-file', tabindex: '0', role: 'region', 'aria-label': 'The file' }),
    where: element('p'),
    said: element('span', { class: 'fine', role: 'status' }),
    backtest: createBacktest({ mark: (line) => mark(elements.file, line), onFailure }),
    ...{ draft: draftOf(''), opened: '' },
  }
  const { dialog, inputs, query, backtest } = elements
  place.append(dialog)
  dialog.append(element('h2', { id: 'sql-alert-title' }, 'Save as alert'), formOf(elements))
  dialog.addEventListener('close', () => {
    backtest.stop()
    if (query.value !== elements.opened) onClose(writtenIn(elements))
  })
  return {
    open(sql) {
      elements.draft = draftOf(sql)
      for (const field of FIELDS) inputs[field].value = elements.draft.fields[field]
      query.value = elements.draft.query
      elements.opened = query.value
      dialog.showModal()
      show(elements)
      inputs.name.select()
    },
    close: () => dialog.close(),
  }
}

function writtenIn({ draft, query, inputs }: AlertDialogElements): string {
  const changed = { ...draft, fields: fieldsOf(inputs), query: query.value }
  return draft.isRule ? alertFile(changed) : [...draft.above, query.value].join('\n')
}

const fieldsOf = (inputs: AlertDialogElements['inputs']) =>
  Object.fromEntries(FIELDS.map((one) => [one, inputs[one].value.trim()])) as unknown as AlertFields

const PLAIN = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }

const inputOf = (value: string, placeholder: string) =>
  element('input', { type: 'text', value, placeholder, 'aria-describedby': 'sql-alert-problem', ...PLAIN })

function formOf(elements: AlertDialogElements): HTMLFormElement {
  const { dialog, inputs, query, problem, file, where, said, backtest } = elements
  const copy = buttonOf('Copy', () => void copyFile(elements), { class: 'first' })
  const close = buttonOf('Close', () => dialog.close())
  const fields = element(
    'div',
    { class: 'alert-form' },
    ...[field('Name', inputs.name), field('Every', inputs.every), field('For', inputs.for)],
    ...[field('Severity', inputs.severity), field('Notify', inputs.notify), field('Labels', inputs.labels)],
    field('Query', query, 'field wide'),
  )
  const about =
    'Each row of the query is an alert. It reads the rows of all projects: group by project to tell them apart, and ' +
    'bound the time, as with timestamp >= timestamp_sub(current_timestamp(), interval 5 minute). Labels tell its ' +
    'rows apart: columns, or - if the query has a single row.'
  const foot = element('div', { class: 'sql-dialog-foot' }, said, copy, close)
  const form = element('form', { class: 'sql-save' }, element('p', { class: 'fine' }, about), fields, problem)
  form.append(backtest.root, file, where, foot)
  form.addEventListener('input', () => show(elements))
  form.addEventListener('submit', (event) => event.preventDefault())
  return form
}

const field = (text: string, input: HTMLElement, kind = 'field') =>
  element('label', { class: kind }, element('span', {}, text), input)

/** Shows the file, and runs it. If a field has a wrong value, shows the problem. */
function show(elements: AlertDialogElements): void {
  const { inputs, query, problem, file, where, said, backtest, draft } = elements
  const name = inputs.name.value.trim()
  const fields = fieldsOf(inputs)
  const wrong = fieldProblem(name, fields)
  for (const one of ['name', ...FIELDS] as const) inputs[one].setAttribute('aria-invalid', String(wrong?.field === one))
  const isEmpty = query.value.trim() === ''
  problem.textContent = wrong?.message ?? (isEmpty ? 'Write a query.' : '')
  said.textContent = ''
  if (wrong !== undefined || isEmpty) {
    backtest.run(undefined)
    return
  }
  const text = alertFile({ ...draft, fields, query: query.value })
  // Each line is an element, so that the line of an error can be marked.
  file.replaceChildren(...text.split(/(?<=\n)/).map((line) => element('span', {}, line)))
  where.replaceChildren(
    ...['Put it as ', element('code', {}, `${name}.sql`), ' into the directory of '],
    ...[element('code', {}, 'logweir serve --alerts DIR'), '. The service loads it within a second.'],
  )
  backtest.run(text)
}

/** Marks a line of the file, from 1, or no line. */
function mark(file: HTMLElement, marked: number | undefined): void {
  for (const [i, line] of [...file.children].entries()) line.classList.toggle('wrong', i + 1 === marked)
  file.querySelector('.wrong')?.scrollIntoView({ block: 'nearest' })
}

async function copyFile({ file, problem, said }: AlertDialogElements): Promise<void> {
  if (problem.textContent !== '') return
  said.textContent = (await copyText(file.textContent)) ? 'Copied' : 'The browser refuses to copy'
}
