/** The histogram of the rows: stacked by class, to choose a range of time by dragging or with the keyboard. */
import type { HistogramRow } from '../api/explore.js'
import { type Chart, createChart } from '../plot/chart.js'
import type { Span } from '../plot/marks.js'
import { element } from '../shared/dom.js'
import { count, shortCount } from '../shared/format.js'
import { bucketTime } from '../shared/times.js'
import { type HistogramData, histogramOf } from './histogram-data.js'
import type { Bounds } from './range.js'

/** In pixels. */
const HEIGHT = 104

/** The chart as a control: the keyboard moves over its buckets. */
const SLIDER = {
  class: 'chart',
  role: 'slider',
  tabindex: '0',
  'aria-label': 'Rows over time: arrow keys move, with Shift they select, Enter shows that time',
}

/** The chart above the list, or a text in its place. */
export interface Histogram {
  /** Shows rows over a range. */
  show(rows: readonly HistogramRow[], bounds: Bounds, nowUs: number): void
  /** Shows a text instead of bars. */
  showText(text: string): void
  /** Dims the bars until the next ones are shown. */
  loading(): void
  redraw(): void
}

interface Parts {
  readonly root: HTMLElement
  readonly host: HTMLElement
  readonly text: HTMLElement
  readonly onSelect: (bounds: Bounds) => void
  chart: Chart | undefined
  data: HistogramData | undefined
  /** Names and colours of the classes that the chart has. */
  shape: string
  /** The bucket that the keyboard is at, and the one that its selection began at. */
  at: number
  anchor: number | undefined
}

/** Creates the histogram in `root`. `onSelect` is called with a range that was chosen. */
export function createHistogram(root: HTMLElement, onSelect: (bounds: Bounds) => void): Histogram {
  const [host, text] = [element('div', SLIDER), element('p', { class: 'state', role: 'status' })]
  host.hidden = true
  root.append(host, text)
  const parts: Parts = {
    ...{ root, host, text, onSelect },
    ...{ chart: undefined, data: undefined, shape: '', at: 0, anchor: undefined },
  }
  host.addEventListener('keydown', (event) => onKey(parts, event))
  host.addEventListener('blur', () => {
    parts.anchor = undefined
    parts.chart?.highlight(undefined)
    parts.chart?.pointAt(undefined)
  })
  return {
    show(rows, bounds, nowUs) {
      const data = histogramOf(rows, bounds, nowUs)
      // The list says why there are none.
      if (data === undefined) showText(parts, '')
      else showData(parts, data)
    },
    showText: (message) => showText(parts, message),
    loading: () => root.setAttribute('aria-busy', 'true'),
    redraw: () => parts.chart?.redraw(),
  }
}

function showText({ root, host, text }: Parts, message: string): void {
  root.setAttribute('aria-busy', 'false')
  text.textContent = message
  host.hidden = true
}

function showData(parts: Parts, data: HistogramData): void {
  const { root, host, text } = parts
  root.setAttribute('aria-busy', 'false')
  text.textContent = ''
  host.hidden = false
  const shape = JSON.stringify(data.series)
  if (parts.shape !== shape || parts.chart === undefined) parts.chart = chartOf(parts, data)
  parts.shape = shape
  if (parts.data?.axis.bucketS !== data.axis.bucketS) parts.anchor = undefined
  parts.data = data
  parts.at = Math.min(Math.max(parts.at, 0), data.axis.timesS.length - 1)
  parts.chart.show(data)
  host.setAttribute('aria-valuemin', '0')
  host.setAttribute('aria-valuemax', String(data.axis.timesS.length - 1))
  sayBucket(parts)
}

function chartOf(parts: Parts, { series }: HistogramData): Chart {
  const onSelect = (span: Span) => chooseSpan(parts, span)
  return createChart(parts.host, {
    kind: 'bars',
    series,
    format: count,
    shortFormat: shortCount,
    height: HEIGHT,
    onSelect,
  })
}

/** Chooses the whole buckets that a range of time touches. */
function chooseSpan({ data, onSelect }: Parts, [fromS, toS]: Span): void {
  const { bucketS, timesS } = data!.axis
  const floor = (seconds: number) => Math.floor(seconds / bucketS) * bucketS
  const [first, last] = [Math.max(floor(fromS), timesS[0]!), Math.min(floor(toS), timesS.at(-1)!)]
  onSelect({ fromUs: first * 1e6, toUs: (last + bucketS) * 1e6 })
}

/** Names the bucket that the keyboard is at, with its counts. */
function sayBucket({ host, data, at }: Parts): void {
  const { axis, series, values } = data!
  const counts = series.map(({ label }, i) => `${label} ${count(values[i]![at]!)}`)
  host.setAttribute('aria-valuenow', String(at))
  host.setAttribute('aria-valuetext', `${bucketTime(axis.timesS[at]!, axis.bucketS)}: ${counts.join(', ')}`)
}

/** The range between the keyboard's bucket and the one that its selection began at. */
function selectedSpan({ data, at, anchor = at }: Parts): Span {
  const { bucketS, timesS } = data!.axis
  return [timesS[Math.min(at, anchor)]!, timesS[Math.max(at, anchor)]! + bucketS]
}

function onKey(parts: Parts, event: KeyboardEvent): void {
  const { data, chart, host } = parts
  if (data === undefined || chart === undefined || host.hidden || event.ctrlKey || event.metaKey || event.altKey) return
  const last = data.axis.timesS.length - 1
  const moves: Record<string, number> = { ArrowLeft: parts.at - 1, ArrowRight: parts.at + 1, Home: 0, End: last }
  if (event.key === 'Enter') {
    const [fromS, toS] = selectedSpan(parts)
    chooseSpan(parts, [fromS, toS - data.axis.bucketS])
  } else if (event.key === 'Escape' && parts.anchor !== undefined) parts.anchor = undefined
  else if (Object.hasOwn(moves, event.key)) {
    parts.anchor = event.shiftKey ? (parts.anchor ?? parts.at) : undefined
    parts.at = Math.min(Math.max(moves[event.key]!, 0), last)
  } else return
  event.preventDefault()
  chart.pointAt(parts.at)
  chart.highlight(selectedSpan(parts))
  sayBucket(parts)
}
