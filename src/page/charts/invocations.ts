/** Panel of function invocations: counts, errors and execution times. */

import type { Rows } from '../answer/table.js'
import {
  fetchHistogram,
  fetchMeasure,
  HISTOGRAM_COLUMNS,
  type HistogramRow,
  MEASURE_COLUMNS,
  type MeasureRow,
  type Query,
} from '../api/explore.js'
import { axisOver, onAxis, positionsOn } from '../plot/buckets.js'
import { type ClassCounts, classCounts } from '../plot/class-counts.js'
import { createRangeChart, type RangeChart } from '../plot/range-chart.js'
import { byId } from '../shared/dom.js'
import { count, duration, shortCount } from '../shared/format.js'
import { rangeLabel } from '../shared/range-label.js'
import { bucketTime, inWords, zoneName } from '../shared/times.js'
import { addExport } from './export-panel.js'
import { createPanel, createValues, type Panel } from './panel.js'
import type { LinkOf, PanelRows } from './panel-source.js'
import { type ChartsView, closedBounds, type OnSelect, queryOf } from './view.js'

const TIMES = [
  { label: 'average', name: 'avg', color: 'series-1' },
  { label: 'p95', name: 'p95', color: 'series-2' },
  { label: 'p99', name: 'p99', color: 'series-4' },
] as const

/** The times in the table, in order. */
const TIME_NAMES = ['avg', 'p95', 'p99', 'min', 'max'] as const

const OUTCOMES = [
  { label: 'errors', color: 'series-error' },
  { label: 'without error', color: 'series-3' },
] as const

/**
 * A self-hosted Supabase sends lines of a function's console to the same source. Console lines say nothing of a run.
 */
const INVOCATIONS: Query['filters'] = [
  ['function_id', 'execution_time_ms', 'response.status_code'].map((field) => ({ field, op: 'exists' })),
]

const outcomeOf = (name: string | null) => (name === '4xx' || name === '5xx' ? 'errors' : 'without error')

/** The names of outcomes in the counts. */
type Outcome = ReturnType<typeof outcomeOf>

/** Creates the panel. `load` queries and shows an answer, or throws a Failure. */
export function createInvocations(onSelect: OnSelect, linkOf: LinkOf) {
  const panel = createPanel(byId('invocations'))
  const charts = createCharts(panel, onSelect)
  const values = createValues(panel)
  const offer = addExport(panel, linkOf)

  function show(rows: readonly HistogramRow[], measured: readonly MeasureRow[], view: ChartsView): void {
    const { bounds, nowUs, range, project } = view
    const found = classCounts(rows, bounds, nowUs, outcomeOf)
    offer({ project, bounds: closedBounds(view), answers: answersOf(rows, measured) })
    panel.subtitle(rangeLabel(range))
    if (found === undefined) {
      panel.empty(`No function of ${project} ran in this time range.\nChoose a longer one, or send function_edge_logs.`)
      return
    }
    panel.subtitle(`${rangeLabel(range)}, by ${inWords(found.axis.bucketS)}`)
    panel.shown()
    showCounts(charts.counts, found, view)
    showTimes(charts.times, measured, view)
    values(tableRows(found, measured))
  }

  return {
    panel,
    redraw() {
      charts.counts.redraw()
      charts.times.redraw()
    },
    async load(view: ChartsView, signal: AbortSignal) {
      const query = queryOf(view, 'function_edge_logs', INVOCATIONS)
      const [histogram, measure] = await Promise.all([
        fetchHistogram(query, signal),
        fetchMeasure(query, 'execution_time_ms', signal),
      ])
      show(histogram.rows, measure.rows, view)
    },
  }
}

/** The rows of both charts, as files. */
const answersOf = (rows: readonly HistogramRow[], measured: readonly MeasureRow[]): readonly PanelRows[] => [
  { subject: 'invocations', rows, columns: HISTOGRAM_COLUMNS, unit: ['row of invocations', 'rows of invocations'] },
  { subject: 'execution_times', rows: measured, columns: MEASURE_COLUMNS, unit: ['row of times', 'rows of times'] },
]

/** Creates the charts in their places in the panel. */
function createCharts({ root }: Panel, onSelect: OnSelect): { counts: RangeChart; times: RangeChart } {
  const bars = { kind: 'bars', format: count, shortFormat: shortCount, onSelect } as const
  const lines = { kind: 'lines', format: duration, shortFormat: duration, onSelect } as const
  const counts = createRangeChart({ name: 'Invocations over time', ...bars })
  const times = createRangeChart({ name: 'Execution times over time', ...lines })
  for (const [name, chart] of Object.entries({ count: counts, time: times })) {
    chart.root.dataset.chart = name
    root.querySelector(`[data-chart="${name}"]`)!.replaceWith(chart.root)
  }
  return { counts, times }
}

function showCounts(chart: RangeChart, { axis, counts }: ClassCounts<Outcome>, { nowUs }: ChartsView): void {
  const values = OUTCOMES.map(({ label }) => counts.get(label) ?? new Float64Array(axis.timesS.length))
  chart.show({ axis, nowS: nowUs / 1e6, series: OUTCOMES, values })
}

function showTimes(chart: RangeChart, measured: readonly MeasureRow[], { bounds, nowUs }: ChartsView): void {
  chart.root.hidden = measured.length === 0
  if (measured.length === 0) return
  const timesUs = Float64Array.from(measured, ({ timestamp }) => timestamp)
  const axis = axisOver(timesUs, measured[0].bucket_us, bounds, nowUs)
  const positions = positionsOn(axis, timesUs)
  const lineOf = (name: (typeof TIMES)[number]['name']) =>
    onAxis(
      axis,
      positions,
      Float64Array.from(measured, (row) => row[name]),
      Number.NaN,
    )
  chart.show({ axis, nowS: nowUs / 1e6, series: TIMES, values: TIMES.map(({ name }) => lineOf(name)) })
}

/** The buckets that have an invocation. */
function tableRows({ axis, counts }: ClassCounts<Outcome>, measured: readonly MeasureRow[]): Rows {
  const { timesS, bucketS } = axis
  const measuredAt = new Map(measured.map((row) => [row.timestamp / 1e6, row]))
  const at = (label: Outcome, bucket: number) => counts.get(label)?.[bucket] ?? 0
  const buckets = [...timesS.keys()].filter((bucket) => at('errors', bucket) + at('without error', bucket) > 0)
  return {
    names: [`Time (${zoneName()})`, 'Invocations', 'Errors', ...TIMES.map(({ label }) => label), 'min', 'max'],
    count: buckets.length,
    cellsOf(row) {
      const bucket = buckets[row]
      const [errors, successes] = [at('errors', bucket), at('without error', bucket)]
      const numbers = measuredAt.get(timesS[bucket])
      return [
        bucketTime(timesS[bucket], bucketS),
        count(errors + successes),
        count(errors),
        ...TIME_NAMES.map((name) => (numbers === undefined ? '–' : duration(numbers[name]))),
      ]
    },
  }
}
