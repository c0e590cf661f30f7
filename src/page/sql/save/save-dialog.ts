/** The dialog that makes a `.sql` file of a query, which the service serves as an endpoint. */
import { MAX_ENDPOINT_ROWS } from '../../../common/limits.js'
import { copyText } from '../../shared/copy.js'
import { buttonOf, element } from '../../shared/dom.js'
import { endpointFile, nameProblem } from './endpoint-file.js'

/** The elements of the dialog. */
interface SaveDialogElements {
  readonly dialog: HTMLDialogElement
  readonly name: HTMLInputElement
  readonly description: HTMLInputElement
  readonly maxRows: HTMLInputElement
  readonly problem: HTMLElement
  readonly file: HTMLElement
  readonly where: HTMLElement
  readonly said: HTMLElement
  sql: string
}

/** Creates the dialog at the end of `place`, and returns a function that opens the dialog with a query. */
export function createSaveDialog(place: HTMLElement): (sql: string) => void {
  const elements: SaveDialogElements = {
    dialog: element('dialog', { class: 'sql-dialog', 'aria-labelledby': 'sql-save-title' }),
    name: element('input', { type: 'text', value: 'my.query', 'aria-describedby': 'sql-save-problem', ...PLAIN }),
    description: element('input', { type: 'text', placeholder: 'What it returns', ...PLAIN }),
    maxRows: element('input', { type: 'number', min: '1', max: String(MAX_ENDPOINT_ROWS), value: '1000' }),
    problem: element('p', { id: 'sql-save-problem', class: 'error', role: 'alert' }),
    file: element('pre', { class: 'sql-file', tabindex: '0', role: 'region', 'aria-label': 'The file' }),
    where: element('p'),
    said: element('span', { class: 'fine', role: 'status' }),
    sql: '',
  }
  place.append(elements.dialog)
  const form = fillForm(elements)
  form.addEventListener('input', () => show(elements))
  form.addEventListener('submit', (event) => event.preventDefault())
  return (sql) => {
    elements.sql = sql
    show(elements)
    elements.dialog.showModal()
    elements.name.select()
  }
}

const PLAIN = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }

function fillForm(elements: SaveDialogElements): HTMLFormElement {
  const { dialog, name, description, maxRows, problem, file, where, said } = elements
  const copy = buttonOf('Copy', () => void copyFile(elements))
  const download = buttonOf('Download', () => downloadFile(elements))
  const close = buttonOf('Close', () => dialog.close())
  copy.classList.add('first')
  const form = element(
    'form',
    { class: 'sql-save' },
    field('Name', name),
    field('Description', description),
    field('Most rows', maxRows),
    problem,
    file,
    where,
    element(
      'p',
      { class: 'fine' },
      'It reads all rows of the project, not only those of the time range: add a condition on timestamp if needed.',
    ),
    element('div', { class: 'sql-dialog-foot' }, said, copy, download, close),
  )
  dialog.append(element('h2', { id: 'sql-save-title' }, 'Save as endpoint'), form)
  return form
}

const field = (text: string, input: HTMLElement) =>
  element('label', { class: 'field' }, element('span', {}, text), input)

/** Returns the file. If a field has a wrong value, shows the problem and returns undefined. */
function show(elements: SaveDialogElements): string | undefined {
  const { name, description, maxRows, problem, file, where, said, sql } = elements
  const rows = Number(maxRows.value)
  const isRows = Number.isInteger(rows) && rows >= 1 && rows <= MAX_ENDPOINT_ROWS
  const wrongName = nameProblem(name.value)
  problem.textContent = wrongName ?? (isRows ? '' : `Most rows is a whole number from 1 to ${MAX_ENDPOINT_ROWS}.`)
  name.setAttribute('aria-invalid', String(wrongName !== undefined))
  maxRows.setAttribute('aria-invalid', String(!isRows))
  said.textContent = ''
  if (problem.textContent !== '') return undefined
  const text = endpointFile({ name: name.value, description: description.value, maxRows: rows, sql })
  file.textContent = text
  where.replaceChildren(
    ...['Put it as ', element('code', {}, fileName(elements)), ' into the directory of '],
    ...[element('code', {}, 'logweir serve --endpoints DIR'), '. The service loads it within a second.'],
  )
  return text
}

const fileName = ({ name }: SaveDialogElements) => `${name.value}.sql`

async function copyFile(elements: SaveDialogElements): Promise<void> {
  const text = show(elements)
  if (text === undefined) return
  elements.said.textContent = (await copyText(text)) ? 'Copied' : 'The browser refuses to copy'
}

function downloadFile(elements: SaveDialogElements): void {
  const text = show(elements)
  if (text === undefined) return
  const url = URL.createObjectURL(new Blob([text], { type: 'application/sql' }))
  const link = element('a', { href: url, download: fileName(elements) })
  link.click()
  // The browser may read the file later than the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
