/** Panel of API requests over time, as stacked bars. */
import { type ColumnsAnswer, Failure, queryColumns } from '../api/api.js'
import { axisOf, onAxis, positionsOn } from '../plot/buckets.js'
import { createChart } from '../plot/chart.js'
import { byId } from '../shared/dom.js'
import { ago, count, shortCount } from '../shared/format.js'
import { bucketTime, zoneName } from '../shared/times.js'
import { INTERVALS, inWords, lastOf } from './intervals.js'
import { createPanel, createValues } from './panel.js'
import type { ChartsState } from './state.js'

const PARTS = [
  { label: 'REST', name: 'total_rest_requests', color: 'series-1' },
  { label: 'Storage', name: 'total_storage_requests', color: 'series-2' },
  { label: 'Auth', name: 'total_auth_requests', color: 'series-3' },
  { label: 'Realtime', name: 'total_realtime_requests', color: 'series-4' },
] as const

const NAMES = ['timestamp', ...PARTS.map(({ name }) => name)] as const

type CountsAnswer = ColumnsAnswer<(typeof NAMES)[number]>

/** Creates the panel. `load` queries and shows an answer; it throws a Failure. */
export function createCounts() {
  const panel = createPanel(byId('counts'))
  const chart = createChart(panel.root.querySelector('.chart')!, {
    kind: 'bars',
    series: PARTS,
    format: count,
    shortFormat: shortCount,
  })
  const values = createValues(panel)

  function show({ columns, ageS }: CountsAnswer, { interval, project }: ChartsState): void {
    const window = INTERVALS[interval].counts
    const { timestamp: timesUs } = columns
    panel.subtitle(`${lastOf(window)}, by ${inWords(window.bucketS)} · ${ago(ageS)}`)
    if (timesUs.length === 0) {
      panel.empty(
        `No request to ${project} in the ${lastOf(window)}.\nCheck the project's spelling, or send edge_logs.`,
      )
      return
    }
    panel.shown()
    const axis = axisOf(timesUs, window, Date.now() / 1_000)
    const positions = positionsOn(axis, timesUs)
    chart.show({ axis, values: PARTS.map(({ name }) => onAxis(axis, positions, columns[name], 0)) })
    values({
      names: [`Time (${zoneName()})`, ...PARTS.map(({ label }) => label)],
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
    async load(view: ChartsState, fresh: boolean, signal: AbortSignal) {
      const { interval } = INTERVALS[view.interval].counts
      show(await queryCounts(view.project, interval, { fresh, signal }), view)
    },
  }
}

/**
 * Queries the counts. The endpoint expects a pattern, so the name is escaped; if the token is bound to projects, it
 * expects the plain name. For most names both are equal.
 */
async function queryCounts(
  project: string,
  interval: string,
  options: Parameters<typeof queryColumns>[3],
): Promise<CountsAnswer> {
  const escaped = project.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  try {
    return await queryColumns('usage.api-counts', { project: escaped, interval }, NAMES, options)
  } catch (error) {
    const needsPlainName = error instanceof Failure && error.kind === 'forbidden' && escaped !== project
    if (!needsPlainName) throw error
    return queryColumns('usage.api-counts', { project, interval }, NAMES, options)
  }
}
