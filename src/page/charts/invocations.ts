/** Panel of function invocations: counts, errors and execution times. */
import { type ColumnsAnswer, queryColumns } from '../api/api.js'
import { axisOf, onAxis, positionsOn } from '../plot/buckets.js'
import { createChart } from '../plot/chart.js'
import { byId } from '../shared/dom.js'
import { ago, count, duration, shortCount } from '../shared/format.js'
import { bucketTime, zoneName } from '../shared/times.js'
import { INTERVALS, inWords, lastOf } from './intervals.js'
import { createPanel, createValues } from './panel.js'
import type { ChartsState } from './state.js'
import type { Rows } from './table.js'

const TIMES = [
  { label: 'average', name: 'avg_execution_time', color: 'series-1' },
  { label: 'p95', name: 'p95_execution_time', color: 'series-2' },
  { label: 'p99', name: 'p99_execution_time', color: 'series-4' },
] as const

const OUTCOMES = [
  { label: 'errors', color: 'series-error' },
  { label: 'without error', color: 'series-3' },
]

const NAMES = [
  'timestamp',
  'count',
  'error_count',
  ...TIMES.map(({ name }) => name),
  'min_execution_time',
  'max_execution_time',
] as const

type InvocationsAnswer = ColumnsAnswer<(typeof NAMES)[number]>

/** Creates the panel. `load` queries and shows an answer; it throws a Failure. */
export function createInvocations() {
  const panel = createPanel(byId('invocations'))
  const host = (name: string) => panel.root.querySelector<HTMLElement>(`[data-chart="${name}"]`)!
  const counts = createChart(host('count'), { kind: 'bars', series: OUTCOMES, format: count, shortFormat: shortCount })
  const times = createChart(host('time'), { kind: 'lines', series: TIMES, format: duration, shortFormat: duration })
  const values = createValues(panel)

  function show({ columns, ageS }: InvocationsAnswer, { interval, project }: ChartsState): void {
    const window = INTERVALS[interval].invocations
    const { timestamp: timesUs } = columns
    panel.subtitle(`${lastOf(window)}, by ${inWords(window.bucketS)} · ${ago(ageS)}`)
    if (timesUs.length === 0) {
      panel.empty(
        `No function of ${project} ran in the ${lastOf(window)}.\n` +
          'Choose a longer interval, or send function_edge_logs.',
      )
      return
    }
    panel.shown()
    const axis = axisOf(timesUs, window, Date.now() / 1_000)
    const positions = positionsOn(axis, timesUs)
    const placed = (values: Float64Array, without: number) => onAxis(axis, positions, values, without)
    const successes = columns.count.map((all, row) => all - columns.error_count[row]!)
    counts.show({ axis, values: [placed(columns.error_count, 0), placed(successes, 0)] })
    times.show({ axis, values: TIMES.map(({ name }) => placed(columns[name], Number.NaN)) })
    values(tableRows(columns, window.bucketS))
  }

  return {
    panel,
    redraw() {
      counts.redraw()
      times.redraw()
    },
    async load(view: ChartsState, fresh: boolean, signal: AbortSignal) {
      const { interval } = INTERVALS[view.interval].invocations
      const params = { project: view.project, interval }
      show(await queryColumns('functions.invocation-stats', params, NAMES, { fresh, signal }), view)
    },
  }
}

function tableRows(columns: InvocationsAnswer['columns'], bucketS: number): Rows {
  const time = (value: number) => (Number.isNaN(value) ? '–' : duration(value))
  return {
    names: [`Time (${zoneName()})`, 'Invocations', 'Errors', ...TIMES.map(({ label }) => label), 'min', 'max'],
    count: columns.timestamp.length,
    cellsOf: (row) => [
      bucketTime(columns.timestamp[row]! / 1e6, bucketS),
      count(columns.count[row]!),
      count(columns.error_count[row]!),
      ...TIMES.map(({ name }) => time(columns[name][row]!)),
      time(columns.min_execution_time[row]!),
      time(columns.max_execution_time[row]!),
    ],
  }
}
