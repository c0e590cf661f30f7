/** API requests over time, as stacked bars. */
import { askColumns, type ColumnsAnswer, Failure } from './api.js'
import { axisOf, onAxis } from './buckets.js'
import { createChart } from './charts.js'
import { ago, bucketTime, count, shortCount } from './format.js'
import { INTERVALS, inWords, lastOf } from './intervals.js'
import { createPanel, createValues } from './panel.js'
import type { View } from './view.js'

const PARTS = [
  { label: 'REST', name: 'total_rest_requests', color: 'series-1' },
  { label: 'Storage', name: 'total_storage_requests', color: 'series-2' },
  { label: 'Auth', name: 'total_auth_requests', color: 'series-3' },
  { label: 'Realtime', name: 'total_realtime_requests', color: 'series-4' },
] as const

const NAMES = ['timestamp', ...PARTS.map(({ name }) => name)] as const

type CountsAnswer = ColumnsAnswer<(typeof NAMES)[number]>

export function createCounts() {
  const panel = createPanel('counts')
  const chart = createChart(panel.root.querySelector('.chart')!, {
    kind: 'bars',
    series: PARTS,
    format: count,
    shortFormat: shortCount,
  })
  const values = createValues(panel)

  function show({ columns, ageS }: CountsAnswer, { interval, project }: View): void {
    const window = INTERVALS[interval].counts
    const { timestamp: timesUs } = columns
    panel.subtitle(`${lastOf(window)}, by ${inWords(window.bucketS)} · ${ago(ageS)}`)
    if (timesUs.length === 0) {
      panel.empty(
        `No request to ${project} in the ${lastOf(window)}.\nLook at the project's spelling, or send edge_logs.`,
      )
      return
    }
    panel.shown()
    const axis = axisOf(timesUs, window, Date.now() / 1_000)
    chart.show({ axis, values: PARTS.map(({ name }) => onAxis(axis, timesUs, columns[name], 0)) })
    values({
      names: ['Time (UTC)', ...PARTS.map(({ label }) => label)],
      count: timesUs.length,
      cellsOf: (row) => [
        bucketTime(timesUs[row]! / 1e6, window.bucketS),
        ...PARTS.map(({ name }) => count(columns[name][row]!)),
      ],
    })
  }

  return {
    panel,
    redraw: chart.redraw,
    async load(view: View, fresh: boolean, signal: AbortSignal) {
      const { interval } = INTERVALS[view.interval].counts
      show(await askCounts(view.project, interval, { fresh, signal }), view)
    },
  }
}

/**
 * The endpoint takes a pattern, so the name is escaped; from a token that is bound to projects it takes the name as it
 * is. For most names the two are the same.
 */
async function askCounts(
  project: string,
  interval: string,
  asking: Parameters<typeof askColumns>[3],
): Promise<CountsAnswer> {
  const escaped = project.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  try {
    return await askColumns('usage.api-counts', { project: escaped, interval }, NAMES, asking)
  } catch (error) {
    const isOtherwise = error instanceof Failure && error.kind === 'forbidden' && escaped !== project
    if (!isOtherwise) throw error
    return askColumns('usage.api-counts', { project, interval }, NAMES, asking)
  }
}
