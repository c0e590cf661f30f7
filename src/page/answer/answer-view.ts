/** Shows the rows of any answer, as charts or as a table, as the user chooses. */
import type { Failure, Row } from '../api/api.js'
import type { Cost } from '../api/cost.js'
import type { Column } from '../api/endpoints.js'
import { element } from '../shared/dom.js'
import { count } from '../shared/format.js'
import { inWords } from '../shared/times.js'
import { workText } from '../shared/work-text.js'
import { tableRowsOf } from './cells.js'
import { type ChartSet, createChartSet } from './chart-set.js'
import { type AnswerCharts, chartsOf } from './charts-of.js'
import { columnsOf } from './columns-of.js'
import { createPagedTable, type Rows } from './table.js'

/** Rows of a query, with their columns, maximum, age and cost as far as known. */
interface ShownAnswer {
  rows: readonly Row[]
  /** The service's description of the columns. Other columns, and columns of kind `any`, are inferred. */
  columns?: readonly Column[] | undefined
  /** Maximum of rows of the query, or undefined if unknown. */
  maxRows?: number | undefined
  /** Age of the answer in the service's cache, in seconds. */
  ageS?: number | undefined
  cost?: Cost | undefined
}

/** The ways to show an answer. */
type AnswerForm = 'chart' | 'table'

/** A place on the page for answers, empty at first. */
export interface AnswerView {
  readonly root: HTMLElement
  /** An empty element next to the choice of chart or table, for buttons of the caller. */
  readonly tools: HTMLElement
  /** Shows an answer. Call any method only while `root` is on the page. */
  show(answer: ShownAnswer): void
  /** Says that a request was sent. The previous answer stays visible, dimmed. */
  loading(text?: string): void
  /** Shows a message in place of an answer, such as the reason why there is none. */
  message(text: string, kind?: 'error' | 'hint'): void
  /** Shows a failure: the message, and whether the caller retries. */
  failed(failure: Failure): void
  /** Draws again, with the colours of the current theme and the current time zone. */
  redraw(): void
}

interface AnswerElements {
  readonly root: HTMLElement
  readonly status: HTMLElement
  readonly state: HTMLElement
  readonly tools: HTMLElement
  readonly buttons: Readonly<Record<AnswerForm, HTMLButtonElement>>
  readonly segments: HTMLElement
  readonly charts: ChartSet
  readonly table: HTMLElement
  readonly fill: (rows: Rows, isFromFirst: boolean) => void
  answer: ShownAnswer | undefined
  found: AnswerCharts | undefined
  /** The user's choice, or undefined before the user chooses. */
  chosen: AnswerForm | undefined
}

/**
 * Creates the place. An answer with regular times is shown as charts until the user chooses a table. An answer without
 * numbers over time has only a table. `name`: label of the rows for screen readers.
 */
export function createAnswerView(name: string): AnswerView {
  const elements = createAnswerElements(name)
  const { root, tools, buttons } = elements
  for (const form of ['chart', 'table'] as const)
    buttons[form].addEventListener('click', () => {
      elements.chosen = form
      showForm(elements)
    })
  setState(elements, 'none', '')
  return {
    root,
    tools,
    show: (answer) => show(elements, answer),
    loading: (text = 'Running …') => setState(elements, elements.answer === undefined ? 'first' : 'loading', text),
    message(text, kind = 'hint') {
      elements.answer = undefined
      setState(elements, kind === 'error' ? 'failed' : 'message', text)
    },
    failed(failure) {
      elements.answer = undefined
      const retry = failure.retryS === undefined ? '' : '\nTrying again by itself.'
      setState(elements, 'failed', `${failure.message}${retry}`)
    },
    redraw() {
      if (elements.answer !== undefined && root.dataset.state === 'shown') showForm(elements)
      elements.charts.redraw()
    },
  }
}

function createAnswerElements(name: string): AnswerElements {
  const status = element('p', { class: 'answer-size', role: 'status' })
  const state = element('p', { class: 'state', role: 'status' })
  const buttons = {
    chart: element('button', { type: 'button' }, 'Chart'),
    table: element('button', { type: 'button' }, 'Table'),
  }
  const segments = element('div', { class: 'segments', role: 'group', 'aria-label': 'Chart or table' })
  segments.append(buttons.chart, buttons.table)
  const tools = element('div', { class: 'answer-tools' })
  const charts = createChartSet()
  const table = element('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': `${name} as a table` })
  const body = element('div', { class: 'answer-body' }, charts.root, element('div', { class: 'answer-table' }, table))
  const bar = element('header', {}, status, segments, tools)
  const root = element('section', { class: 'answer', 'aria-label': name }, bar, state, body)
  const fill = createPagedTable(table, ['Previous', 'Next'])
  return {
    ...{ root, status, state, tools, buttons, segments, charts, table, fill },
    ...{ answer: undefined, found: undefined, chosen: undefined },
  }
}

/** `none`: no request was sent. `first`: a request is sent, and there is no answer yet. */
type StateName = 'none' | 'first' | 'loading' | 'shown' | 'empty' | 'message' | 'failed'

function setState({ root, state }: AnswerElements, name: StateName, text: string): void {
  root.dataset.state = name
  root.setAttribute('aria-busy', String(name === 'first' || name === 'loading'))
  state.textContent = text
}

function show(elements: AnswerElements, answer: ShownAnswer): void {
  const { rows } = answer
  const columns = columnsOf(rows, answer.columns)
  elements.answer = { ...answer, columns }
  elements.found = chartsOf(columns, rows)
  elements.segments.hidden = elements.found === undefined
  elements.status.textContent = statusOf(answer, elements.found)
  setState(elements, rows.length === 0 ? 'empty' : 'shown', rows.length === 0 ? 'The answer has no row.' : '')
  if (rows.length > 0) showForm(elements, true)
}

/** Irregular times mostly belong to single records. A table says more about single records than a chart. */
function formOf({ found, chosen }: AnswerElements): AnswerForm {
  if (found === undefined) return 'table'
  return chosen ?? (found.axis.bucketS > 0 ? 'chart' : 'table')
}

/** `isNew`: the rows are of another answer. */
function showForm(elements: AnswerElements, isNew = false): void {
  const { root, buttons, charts, fill, answer, found } = elements
  const form = formOf(elements)
  root.dataset.form = form
  for (const name of ['chart', 'table'] as const) buttons[name].setAttribute('aria-pressed', String(name === form))
  if (form === 'chart') charts.show(found!)
  else fill(tableRowsOf(answer!.columns!, answer!.rows), isNew)
}

function statusOf({ rows, maxRows, ageS = 0, cost }: ShownAnswer, found: AnswerCharts | undefined): string {
  const isCut = maxRows !== undefined && rows.length >= maxRows && rows.length > 0
  const size = `${count(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`
  const elements = [
    isCut ? `the first ${size}, the maximum: there may be more` : size,
    found === undefined || found.omitted.length === 0 ? '' : `only in the table: ${found.omitted.join(', ')}`,
    cost === undefined ? '' : workText(cost),
    ageS === 0 ? '' : `from the cache, ${ageText(ageS)} old`,
  ]
  const text = elements.filter((part) => part !== '').join(' · ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const ageText = (seconds: number) => (seconds < 60 ? `${Math.ceil(seconds)} s` : inWords(60 * Math.floor(seconds / 60)))
