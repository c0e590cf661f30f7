/** Panel of an endpoint that the page knows nothing about: charts over a table, or a table. */

import { createChartSet } from '../answer/chart-set.js'
import { type AnswerCharts, chartsOf } from '../answer/charts-of.js'
import { columnsOf } from '../answer/columns-of.js'
import { type Cell, type Rows, tableOf } from '../answer/table.js'
import { type Answer, isNumber, numberOf, type Row } from '../api/api.js'
import type { Column } from '../api/endpoints.js'
import { element } from '../shared/dom.js'
import { ago, number } from '../shared/format.js'
import { timestamp } from '../shared/times.js'
import { addExport } from './export-panel.js'
import { createPanel, createValues, type Panel } from './panel.js'
import type { LinkOf, PanelExport } from './panel-source.js'

/** Maximum of rows in a table without charts, which is for an overview. */
const MAX_ROWS = 100

/** The project and the range of an answer. The range is undefined if the page did not choose the range. */
type RowsOf = Pick<PanelExport, 'project' | 'bounds'>

/** A panel that shows any answer. */
export interface EndpointPanel extends Panel {
  /** Shows an answer with the known `columns`. Other columns are inferred. */
  show(answer: Answer, columns: readonly Column[], of: RowsOf): void
  redraw(): void
}

/** Creates the panel of an endpoint. */
export function createEndpointPanel(name: string, linkOf: LinkOf): EndpointPanel {
  const window = element('p', { class: 'window' })
  const body = element('div', { class: 'body' })
  const root = element(
    'section',
    { class: 'card panel', 'aria-label': name, 'data-endpoint': name },
    element('header', {}, element('h2', {}, name), window),
    element('p', { class: 'state', role: 'status' }),
    body,
  )
  const panel = createPanel(root)
  const offer = addExport(panel, linkOf)
  let charts: ChartBody | undefined

  function show({ rows, ageS, text }: Answer, known: readonly Column[], { project, bounds }: RowsOf): void {
    offer({ project, bounds, answers: [{ subject: name, rows: text }] })
    const columns = columnsOf(rows, known)
    const found = chartsOf(columns, rows)
    const omitted = found?.omitted.length ? `only in the table: ${found.omitted.join(', ')}` : ''
    const size = found === undefined ? sizeOf(rows) : countOf(rows)
    panel.subtitle([size, ago(ageS), omitted].filter((text) => text !== '').join(' · '))
    if (rows.length === 0) {
      panel.empty('')
      return
    }
    panel.shown()
    if (found === undefined) {
      charts = undefined
      const table = rowsOf(rows.slice(0, MAX_ROWS), columns)
      const cells = Array.from({ length: table.count }, (_, i) => table.cellsOf(i))
      body.replaceChildren(scrollOf(name, tableOf(table.names, cells, table.classes)))
    } else {
      charts ??= createChartBody(panel, body, name)
      charts.show(found, rowsOf(rows, columns))
    }
  }

  return { ...panel, show, redraw: () => charts?.redraw() }
}

/** The content of a panel with charts, over a table that the user can open. */
interface ChartBody {
  show(answer: AnswerCharts, rows: Rows): void
  redraw(): void
}

function createChartBody(panel: Panel, body: HTMLElement, name: string): ChartBody {
  const charts = createChartSet()
  const summary = element('summary', {}, 'Values as a table')
  body.replaceChildren(charts.root, element('details', { class: 'values' }, summary, scrollOf(`${name} as a table`)))
  const fill = createValues(panel)
  return {
    show(answer, rows) {
      charts.show(answer)
      fill(rows)
    },
    redraw: charts.redraw,
  }
}

const countOf = ({ length }: readonly Row[]) => `${length} ${length === 1 ? 'row' : 'rows'}`

function sizeOf(rows: readonly Row[]): string {
  if (rows.length === 0) return 'no rows'
  return rows.length > MAX_ROWS ? `the first ${MAX_ROWS} of ${rows.length} rows` : countOf(rows)
}

function scrollOf(label: string, ...children: HTMLElement[]): HTMLElement {
  return element('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': label }, ...children)
}

const namesOf = (rows: readonly Row[]) => Object.keys(rows[0])

/**
 * Returns the rows of a table with readable times. Long texts have a limited width, long numbers four digits. The title
 * of a cell is the whole value.
 */
function rowsOf(rows: readonly Row[], columns: readonly Column[]): Rows {
  const names = namesOf(rows)
  const times = new Set(columns.filter(({ kind }) => kind === 'microseconds').map(({ name }) => name))
  const cellOf = (row: Row, name: string): Cell => {
    const value = row[name]
    if (typeof value === 'number' && times.has(name)) return timestamp(value)
    const text = textOf(value)
    const shown = isNumber(value) && text.length > LONG_NUMBER ? number(numberOf(value)!) : text
    return shown !== text || text.length > LONG_TEXT ? { text: element('span', { title: text }, shown) } : text
  }
  return {
    names,
    classes: names.map((name) => (rows.some((row) => textOf(row[name]).length > LONG_TEXT) ? 'long-text' : '')),
    count: rows.length,
    cellsOf: (row) => names.map((name) => cellOf(rows[row], name)),
  }
}

/** Longer texts and numbers would move the columns after them out of view, in characters. */
const [LONG_TEXT, LONG_NUMBER] = [24, 12]

const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
