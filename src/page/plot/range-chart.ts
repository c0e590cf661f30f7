/** A chart over the page's time range: dragging over the chart, or the keyboard, chooses a part of the range. */
import { element } from '../shared/dom.js'
import type { Bounds } from '../shared/range.js'
import { bucketTime } from '../shared/times.js'
import { type Chart, type ChartOptions, createChart } from './chart.js'
import type { ChartData, Span } from './marks.js'
import type { Series } from './plot-options.js'

/** Kind and formats of a chart. The series come with the data. */
export interface RangeChartOptions extends Omit<ChartOptions, 'series' | 'note' | 'area' | 'onSelect'> {
  /** Name of the chart for a screen reader. */
  name: string
  /** Called with whole buckets that the user chose. */
  onSelect(bounds: Bounds): void
}

/** The data and the series of a chart, not empty. */
interface RangeChartData extends ChartData {
  series: readonly Series[]
}

/** A chart on the page, with its element. */
export interface RangeChart {
  readonly root: HTMLElement
  show(data: RangeChartData): void
  redraw(): void
}

interface RangeChartElements {
  readonly root: HTMLElement
  /** The element that has the focus: the legend has buttons, which no slider may contain. */
  readonly slider: HTMLElement
  readonly options: RangeChartOptions
  chart: Chart | undefined
  data: RangeChartData | undefined
  /** Names and colours of the series that the chart has. */
  shape: string
  /** The bucket that the keyboard is at, and the bucket that the selection began at. */
  at: number
  anchor: number | undefined
}

/** Creates the chart. For the keyboard, the chart is a slider: arrow keys move over buckets, or select with Shift. */
export function createRangeChart(options: RangeChartOptions): RangeChart {
  const slider = element('div', {
    role: 'slider',
    tabindex: '0',
    'aria-label': `${options.name}: arrow keys move, with Shift they select, Enter shows that time`,
  })
  const root = element('div', { class: 'chart' }, slider)
  const elements: RangeChartElements = {
    root,
    slider,
    options,
    chart: undefined,
    data: undefined,
    shape: '',
    at: 0,
    anchor: undefined,
  }
  slider.addEventListener('keydown', (event) => onKey(elements, event))
  slider.addEventListener('blur', () => {
    elements.anchor = undefined
    elements.chart?.highlight(undefined)
    elements.chart?.pointAt(undefined)
  })
  return { root, show: (data) => show(elements, data), redraw: () => elements.chart?.redraw() }
}

function show(elements: RangeChartElements, data: RangeChartData): void {
  const { root, slider, options } = elements
  const shape = JSON.stringify(data.series)
  if (elements.shape !== shape || elements.chart === undefined) {
    elements.chart?.destroy()
    const onSelect = (span: Span) => chooseSpan(elements, span)
    elements.chart = createChart(root, { ...options, series: data.series, area: slider, onSelect })
  }
  elements.shape = shape
  if (elements.data?.axis.bucketS !== data.axis.bucketS) elements.anchor = undefined
  elements.data = data
  const last = data.axis.timesS.length - 1
  elements.at = Math.min(Math.max(elements.at, 0), last)
  elements.chart.show(data)
  slider.setAttribute('aria-valuemin', '0')
  slider.setAttribute('aria-valuemax', String(last))
  sayBucket(elements)
}

/** Chooses the whole buckets that a range of time touches. */
function chooseSpan({ data, options }: RangeChartElements, [fromS, toS]: Span): void {
  const { bucketS, timesS } = data!.axis
  const floor = (seconds: number) => Math.floor(seconds / bucketS) * bucketS
  const [first, last] = [Math.max(floor(fromS), timesS[0]), Math.min(floor(toS), timesS.at(-1)!)]
  options.onSelect({ fromUs: first * 1e6, toUs: (last + bucketS) * 1e6 })
}

/** Names the bucket that the keyboard is at, with its values. */
function sayBucket({ slider, data, at, options }: RangeChartElements): void {
  const { axis, series, values } = data!
  const textOf = (value: number) => (Number.isNaN(value) ? 'none' : options.format(value))
  const texts = series.map(({ label }, i) => `${label} ${textOf(values[i][at])}`)
  slider.setAttribute('aria-valuenow', String(at))
  slider.setAttribute('aria-valuetext', `${bucketTime(axis.timesS[at], axis.bucketS)}: ${texts.join(', ')}`)
}

/** The range between the keyboard's bucket and the bucket that the selection began at. */
function selectedSpan({ data, at, anchor = at }: RangeChartElements): Span {
  const { bucketS, timesS } = data!.axis
  return [timesS[Math.min(at, anchor)], timesS[Math.max(at, anchor)] + bucketS]
}

function onKey(elements: RangeChartElements, event: KeyboardEvent): void {
  const { data, chart } = elements
  if (data === undefined || chart === undefined) return
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const last = data.axis.timesS.length - 1
  const moves: Record<string, number> = { ArrowLeft: elements.at - 1, ArrowRight: elements.at + 1, Home: 0, End: last }
  if (event.key === 'Enter') {
    const [fromS, toS] = selectedSpan(elements)
    chooseSpan(elements, [fromS, toS - data.axis.bucketS])
  } else if (event.key === 'Escape' && elements.anchor !== undefined) elements.anchor = undefined
  else if (Object.hasOwn(moves, event.key)) {
    elements.anchor = event.shiftKey ? (elements.anchor ?? elements.at) : undefined
    elements.at = Math.min(Math.max(moves[event.key], 0), last)
  } else return
  event.preventDefault()
  chart.pointAt(elements.at)
  chart.highlight(selectedSpan(elements))
  sayBucket(elements)
}
