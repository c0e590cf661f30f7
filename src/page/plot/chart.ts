import uPlot from 'uplot'
import { element } from '../shared/dom.js'
import { bucketTime } from '../shared/times.js'
import { positionAt } from './buckets.js'
import { createLegend, type Legend } from './legend.js'
import {
  alignedOf,
  type ChartData,
  type ChartKind,
  type Marks,
  marksOf,
  runningBucket,
  type Span,
  withoutSeries,
} from './marks.js'
import { type PlotLook, paintRunning, plotOptions, type Series } from './plot-options.js'

/** Kind, series and number formats of a chart. */
export interface ChartOptions {
  kind: ChartKind
  series: readonly Series[]
  /** Text at the end of the legend, such as about values that the chart leaves out. */
  note?: string
  format(value: number): string
  /** Formats a value for the axis. */
  shortFormat(value: number): string
  /** In pixels. */
  height?: number
  /** Empty element of the page that the chart is drawn in. Without `area`, the chart makes an element. */
  area?: HTMLElement
  /** Called with a range of time that the user dragged over. Without `onSelect`, the chart zooms in. */
  onSelect?(span: Span): void
}

/** A chart on the page. */
export interface Chart {
  show(data: ChartData): void
  /** Draws again, with the colours of the current theme. */
  redraw(): void
  /** Shows the values of a bucket in the legend, as the pointer does. Undefined: no bucket. */
  pointAt(bucket: number | undefined): void
  /** Highlights a range of time. Undefined: no range. */
  highlight(span: Span | undefined): void
  /** Removes the chart from the page. */
  destroy(): void
}

/** In pixels. */
const [HEIGHT, AXIS_WIDTH] = [220, 64]

const NO_DATA: ChartData = { axis: { timesS: new Float64Array(), bucketS: Number.NaN }, values: [] }

interface ChartElements {
  readonly options: ChartOptions
  readonly look: PlotLook
  readonly canvasHost: HTMLElement
  readonly legend: Legend
  readonly zoomOut: HTMLElement
  plot: uPlot | undefined
  data: ChartData
  /** The data without the series that the user hid. */
  shown: ChartData
  /** Indexes of the hidden series. */
  readonly hidden: Set<number>
  marks: Marks
  /** The range that is shown. Undefined: all. */
  zoomed: Span | undefined
}

/**
 * Creates a chart in `host`. The legend shows the values under the pointer, else the sums of bars, and hides series.
 * Dragging zooms in, until that time is older than the data. At most one mark per pixel is drawn: the highest bucket of
 * the pixel. The bucket that is not over is marked.
 */
export function createChart(host: HTMLElement, options: ChartOptions): Chart {
  const { kind, series, note = '', shortFormat, height = HEIGHT } = options
  const canvasHost = options.area ?? host.appendChild(element('div', { 'aria-hidden': 'true' }))
  const legend = createLegend(series, note, (index, isShown) => toggleSeries(chart, index, isShown))
  const zoomOut = element('button', { type: 'button', class: 'whole' }, 'Whole window')
  host.append(legend.root, zoomOut)
  const chart: ChartElements = {
    options,
    look: { kind, series, height, axisWidth: AXIS_WIDTH, shortFormat },
    canvasHost,
    legend,
    zoomOut,
    plot: undefined,
    data: NO_DATA,
    shown: NO_DATA,
    hidden: new Set(),
    marks: { from: 0, to: 0, size: 1, picked: [] },
    zoomed: undefined,
  }
  zoomOut.hidden = true
  zoomOut.addEventListener('click', () => zoom(chart, undefined))
  const observer = new ResizeObserver(() => chart.plot && draw(chart))
  observer.observe(canvasHost)
  return {
    show: (data) => show(chart, data),
    redraw: () => chart.plot && draw(chart, true),
    pointAt(bucket) {
      if (bucket === undefined) showSums(chart)
      else showMark(chart, markOf(chart, bucket))
    },
    highlight: (span) => highlight(chart, span),
    destroy() {
      observer.disconnect()
      chart.plot?.destroy()
      for (const part of [legend.root, zoomOut]) part.remove()
    },
  }
}

function show(chart: ChartElements, next: ChartData): void {
  const isOther = next.axis.bucketS !== chart.data.axis.bucketS
  chart.data = next
  chart.shown = withoutSeries(next, chart.look.kind, chart.hidden)
  if (chart.zoomed !== undefined && (isOther || chart.zoomed[0] < timeOf(chart, 0))) chart.zoomed = undefined
  if (isOther) {
    chart.plot?.destroy()
    chart.plot = undefined
  }
  draw(chart)
}

function toggleSeries(chart: ChartElements, index: number, isShown: boolean): void {
  if (isShown) chart.hidden.delete(index)
  else chart.hidden.add(index)
  chart.shown = withoutSeries(chart.data, chart.look.kind, chart.hidden)
  draw(chart)
}

/** Shows a range of time. Undefined: all. */
function zoom(chart: ChartElements, next: Span | undefined): void {
  chart.zoomed = next
  draw(chart)
}

function draw(chart: ChartElements, isRepainted = false): void {
  const { shown, look, zoomed, canvasHost } = chart
  const width = canvasHost.clientWidth
  chart.marks = marksOf(shown, look.kind, zoomed, width - look.axisWidth)
  chart.zoomOut.hidden = zoomed === undefined
  chart.plot ??= createPlot(chart, width)
  chart.plot.setSize({ width, height: look.height })
  chart.plot.setData(alignedOf(shown, look.kind, chart.marks))
  if (isRepainted) chart.plot.redraw(true)
  showSums(chart)
}

function createPlot(chart: ChartElements, width: number): uPlot {
  const { look, data } = chart
  // Charts over the same range have the same axis: to the end of the last bucket, where a bar ends.
  const isWhole = look.kind === 'bars' || chart.options.onSelect !== undefined
  const range = (): [number, number] => {
    const { from, to } = chart.marks
    return [timeOf(chart, from), timeOf(chart, to - 1) + (isWhole ? chart.data.axis.bucketS : 0)]
  }
  const select = (dragged: uPlot) => {
    const { left, width } = dragged.select
    if (width === 0) return
    dragged.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
    const span: Span = [dragged.posToVal(left, 'x'), dragged.posToVal(left + width, 'x')]
    if (chart.options.onSelect === undefined) zoom(chart, span)
    else chart.options.onSelect(span)
  }
  const bind: uPlot.Cursor.Bind = {
    dblclick: () => () => {
      zoom(chart, undefined)
      return null
    },
  }
  const hooks: uPlot.Hooks.Arrays = {
    drawClear: [(under) => paintRunning(under, runningSpan(chart))],
    setCursor: [(under) => onCursor(chart, under)],
    setSelect: [select],
  }
  return new uPlot({ ...plotOptions(look, data.axis.bucketS, width, range, bind), hooks }, undefined, chart.canvasHost)
}

function onCursor(chart: ChartElements, under: uPlot): void {
  const { left = -1, idx } = under.cursor
  if (left < 0 || idx === null || idx === undefined) showSums(chart)
  // A bar is drawn to the right of its bucket's start.
  else if (chart.look.kind === 'bars')
    showMark(chart, markOf(chart, positionAt(chart.data.axis, under.posToVal(left, 'x'))))
  else showMark(chart, idx)
}

/** Returns the mark that shows a bucket. */
function markOf({ marks: { from, size, picked } }: ChartElements, bucket: number): number {
  return Math.min(Math.max(Math.floor((bucket - from) / size), 0), picked[0].length - 1)
}

const timeOf = ({ data }: ChartElements, bucket: number) => data.axis.timesS[bucket]

function timeText(chart: ChartElements, bucket: number): string {
  const text = bucketTime(timeOf(chart, bucket), chart.data.axis.bucketS)
  return bucket === runningBucket(chart.data) ? `${text}, not over yet` : text
}

/** The bucket that is not over, if any. */
function runningSpan({ data }: ChartElements): Span | undefined {
  const bucket = runningBucket(data)
  if (bucket === undefined) return undefined
  const startS = data.axis.timesS[bucket]
  return [startS, startS + data.axis.bucketS]
}

function showSums(chart: ChartElements): void {
  const { data, look, legend, marks, options, zoomed, hidden } = chart
  const sumOf = (values: Float64Array) => values.subarray(marks.from, marks.to).reduce((sum, value) => sum + value, 0)
  const sums = look.kind === 'bars' ? data.values.map((values, i) => (hidden.has(i) ? 0 : sumOf(values))) : []
  const texts = data.values.map((_, i) => (sums.length === 0 || hidden.has(i) ? '' : options.format(sums[i])))
  const all = sums.length === 0 ? '' : `total ${options.format(sums.reduce((sum, one) => sum + one, 0))}`
  legend.show(texts, zoomed === undefined ? all : `${timeText(chart, marks.from)} to ${timeText(chart, marks.to - 1)}`)
}

function showMark(chart: ChartElements, mark: number): void {
  const { data, look, legend, options, hidden } = chart
  const { from, to, size, picked } = chart.marks
  const textOf = (value: number | undefined) =>
    value === undefined || Number.isNaN(value) ? '' : options.format(value)
  const texts = data.values.map((values, i) => (hidden.has(i) ? '' : textOf(values[picked[i][mark]])))
  const first = from + mark * size
  const last = Math.min(first + size, to) - 1
  // The segments of a bar show a single bucket. Lines may show different buckets.
  if (look.kind === 'bars' || size === 1)
    legend.show(texts, timeText(chart, look.kind === 'bars' ? picked[0][mark] : first))
  else legend.show(texts, `highest, ${timeText(chart, first)} to ${timeText(chart, last)}`)
}

function highlight({ plot }: ChartElements, span: Span | undefined): void {
  if (plot === undefined) return
  const [from, to] = (span ?? [0, 0]).map((seconds) => plot.valToPos(seconds, 'x')) as [number, number]
  const width = span === undefined ? 0 : to - from
  plot.setSelect({ left: span === undefined ? 0 : from, top: 0, width, height: plot.over.clientHeight }, false)
}
