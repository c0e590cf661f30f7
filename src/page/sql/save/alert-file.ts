/** The `.sql` file that makes an alert rule of a query. */
import { LIKE_A_SETTING, nameProblem } from './endpoint-file.js'

/** The fields of the dialog, as texts. An empty text is left out of the file. */
export interface AlertFields {
  every: string
  for: string
  severity: string
  notify: string
  /** Names of columns with commas between. Empty: the keys of the last GROUP BY. `-`: none. */
  labels: string
}

/** The text of the field for a query of a single row, which needs no labels. */
const NO_LABELS = '-'

/** A rule: its fields, and the parts without a field in the dialog. */
export interface AlertDraft {
  fields: AlertFields
  /** Other parts of `-- alert:`, such as `keep firing 5m`. */
  parts: readonly string[]
  /** Lines above `-- alert:`: the summary. */
  above: readonly string[]
  /** Lines below `-- alert:`, such as `-- text:`. */
  below: readonly string[]
  query: string
  /** Whether the text was the text of a rule. */
  isRule: boolean
}

/** The fields of a query that is no rule yet. */
const NEW: AlertFields = { every: '1m', for: '', severity: 'warning', notify: '', labels: '' }

const ENTRY = /^--\s*(alert|severity|labels|text|muted)\s*:\s*(.*)$/i

/** Reads a query, which may be the text of a rule: then the fields are those of the rule. */
export function draftOf(sql: string): AlertDraft {
  const lines = sql.trim().split('\n')
  const end = lines.findIndex((line) => !/^\s*(?:--|$)/.test(line))
  const comments = lines.slice(0, end < 0 ? lines.length : end).filter((line) => line.trim() !== '')
  const query = lines.slice(comments.length === 0 ? 0 : end < 0 ? lines.length : end).join('\n')
  const entries = comments.map((line) => ENTRY.exec(line.trim()))
  const isRule = entries.some((entry) => entry?.[1].toLowerCase() === 'alert')
  return isRule ? ruleDraft(comments, entries, query) : newDraft(comments, query)
}

/** Comments that would be read as settings are kept as comments of another form, which are part of the query. */
function newDraft(comments: readonly string[], query: string): AlertDraft {
  const isSetting = (line: string) => LIKE_A_SETTING.test(line.trim().slice(2).trim())
  const settings = comments.filter(isSetting).map((line) => line.replace('--', '#'))
  const above = comments.filter((line) => !isSetting(line))
  return { fields: NEW, parts: [], above, below: [], query: [...settings, query].join('\n'), isRule: false }
}

function ruleDraft(
  comments: readonly string[],
  entries: readonly (RegExpExecArray | null)[],
  query: string,
): AlertDraft {
  const fields: AlertFields = { ...NEW, every: '', severity: '' }
  const parts: string[] = []
  const [above, below]: string[][] = [[], []]
  for (const [i, line] of comments.entries()) {
    const [, key = '', value = ''] = entries[i] ?? []
    const name = key.toLowerCase()
    if (name === 'alert') readParts(value, fields, parts)
    else if (name === 'severity') fields.severity = value
    else if (name === 'labels') fields.labels = value || NO_LABELS
    else (name === '' ? above : below)!.push(line)
  }
  return { fields, parts, above: above!, below: below!, query, isRule: true }
}

function readParts(value: string, fields: AlertFields, others: string[]): void {
  for (const part of value.split(',').map((text) => text.trim())) {
    const [, name, text] = /^(every|for|notify)\s+(.*)$/.exec(part) ?? []
    if (name === undefined) others.push(part)
    else fields[name as 'every' | 'for' | 'notify'] = text!
  }
}

/** Returns the text of the file. */
export function alertFile({ fields, parts, above, below, query }: AlertDraft): string {
  const { every, for: length, severity, notify, labels } = fields
  const timing = [`every ${every}`, length && `for ${length}`, ...parts, notify && `notify ${notify}`]
  const lines = [
    ...above,
    `-- alert: ${timing.filter((part) => part !== '').join(', ')}`,
    ...(severity === '' ? [] : [`-- severity: ${severity}`]),
    ...(labels === '' ? [] : [labels === NO_LABELS ? '-- labels:' : `-- labels: ${labels}`]),
    ...below,
    query.trim(),
  ]
  return `${lines.join('\n')}\n`
}

const LENGTH = /^\d{1,9} ?[smhd]$/
const WORD = /^[a-z][\w-]{0,63}$/i
const NAMES = /^(?:-|[a-z_]\w*(?:, *[a-z_]\w*)*)$/i

/** The form of each field, and how to fix another text. An empty text is checked where the field is required. */
const FORMS: Readonly<Record<keyof AlertFields, { form: RegExp; remedy: string }>> = {
  every: { form: LENGTH, remedy: '“Every” is a length of time such as 30s, 1m or 2h.' },
  for: { form: LENGTH, remedy: '“For” is a length of time such as 2m, or empty.' },
  severity: { form: WORD, remedy: '“Severity” is a word such as critical.' },
  notify: { form: WORD, remedy: '“Notify” is the name of a receiver, or empty.' },
  labels: { form: NAMES, remedy: '“Labels” are names of columns with commas between, - for none, or empty.' },
}

/** Returns the first field that has a wrong text, with the remedy. Undefined if all are right. */
export function fieldProblem(
  name: string,
  fields: AlertFields,
): { field: 'name' | keyof AlertFields; message: string } | undefined {
  const wrongName = nameProblem(name)
  if (wrongName !== undefined) return { field: 'name', message: wrongName }
  const isWrong = (field: keyof AlertFields) =>
    fields[field] === '' ? field === 'every' : !FORMS[field].form.test(fields[field])
  const field = (Object.keys(FORMS) as (keyof AlertFields)[]).find(isWrong)
  return field === undefined ? undefined : { field, message: FORMS[field].remedy }
}
