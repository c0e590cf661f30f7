/** Panel of API requests, by the part of the platform that served the request. */
import type { PlatformPart } from '../../common/histogram-classes.js'
import { fetchHistogram, HISTOGRAM_COLUMNS, type HistogramRow } from '../api/explore.js'
import { classCounts } from '../plot/class-counts.js'
import { createRangeChart } from '../plot/range-chart.js'
import { byId } from '../shared/dom.js'
import { count, shortCount } from '../shared/format.js'
import { rangeLabel } from '../shared/range-label.js'
import { bucketTime, inWords, zoneName } from '../shared/times.js'
import { addExport } from './export-panel.js'
import { createPanel, createValues } from './panel.js'
import type { LinkOf } from './panel-source.js'
import { type ChartsView, closedBounds, type OnSelect, queryOf } from './view.js'

const LABELS: Readonly<Record<PlatformPart, string>> = {
  rest: 'REST',
  storage: 'Storage',
  auth: 'Auth',
  realtime: 'Realtime',
  functions: 'Functions',
  graphql: 'GraphQL',
}
const PARTS = [
  ...Object.entries(LABELS).map(([name, label], i) => ({ name, label, color: `series-${i + 1}` })),
  { name: null, label: 'other', color: 'series-other' },
]

/** Creates the panel. `load` queries and shows an answer, or throws a Failure. */
export function createRequests(onSelect: OnSelect, linkOf: LinkOf) {
  const panel = createPanel(byId('requests'))
  const chart = createRangeChart({
    name: 'API requests over time',
    kind: 'bars',
    format: count,
    shortFormat: shortCount,
    onSelect,
  })
  panel.root.querySelector('.chart')!.replaceWith(chart.root)
  const values = createValues(panel)
  const offer = addExport(panel, linkOf)

  function show(rows: readonly HistogramRow[], view: ChartsView): void {
    const { bounds, nowUs, range, project } = view
    offer({ project, bounds: closedBounds(view), answers: [{ subject: 'requests', rows, columns: HISTOGRAM_COLUMNS }] })
    const found = classCounts(rows, bounds, nowUs, (name) => name)
    panel.subtitle(rangeLabel(range))
    if (found === undefined) {
      panel.empty(`No request to ${project} in this time range.\nChoose a longer one, or send edge_logs.`)
      return
    }
    const { axis, counts } = found
    const { bucketS, timesS } = axis
    const parts = PARTS.filter(({ name }) => counts.has(name))
    panel.subtitle(`${rangeLabel(range)}, by ${inWords(bucketS)}`)
    panel.shown()
    chart.show({ axis, nowS: nowUs / 1e6, series: parts, values: parts.map(({ name }) => counts.get(name)!) })
    values({
      names: [`Time (${zoneName()})`, ...parts.map(({ label }) => label)],
      count: timesS.length,
      cellsOf: (row) => [bucketTime(timesS[row], bucketS), ...parts.map(({ name }) => count(counts.get(name)![row]))],
    })
  }

  return {
    panel,
    redraw: chart.redraw,
    async load(view: ChartsView, signal: AbortSignal) {
      const { rows } = await fetchHistogram(queryOf(view, 'edge_logs'), signal, 'part')
      show(rows, view)
    },
  }
}
