import { element } from '../shared/dom.js'
import { bucketTime, currentZone, tick } from '../shared/times.js'
import { UTC } from '../shared/zone.js'
import uPlot from '../vendor/uplot.js'
import { type Axis, positionAt } from './buckets.js'
import { createLegend } from './legend.js'
import { highestOf, sumsOf } from './thin.js'

/** One line, or one segment of each stacked bar. */
export interface Series {
  label: string
  /** Name of its colour, such as `series-1`. */
  color: string
}

/** Per series one value per position of the axis; NaN if there is none. */
export interface ChartData {
  axis: Axis
  values: readonly Float64Array[]
}

/** Kind, series and number formats of a chart. */
export interface ChartOptions {
  /** `bars` are stacked, the first series at the bottom. */
  kind: 'bars' | 'lines'
  series: readonly Series[]
  /** Text at the end of the legend, such as about values that the chart leaves out. */
  note?: string
  format(value: number): string
  /** Formats a value for the axis. */
  shortFormat(value: number): string
}

/** A chart on the page. */
export interface Chart {
  show(data: ChartData): void
  /** Draws again, with the colours of the current theme. */
  redraw(): void
}

/** The drawn marks: one per `size` buckets in [`from`, `to`), and per series the bucket that each mark shows. */
interface Drawn {
  from: number
  to: number
  size: number
  picked: readonly Int32Array[]
}

/** In pixels. */
const [HEIGHT, AXIS_WIDTH] = [220, 64]
/** A bar is 85 % of its bucket wide, and at most 72 pixels. */
const BAR: uPlot.Series.BarsPathBuilderOpts = { size: [0.85, 72], align: 1 }

const styleOf = (variable: string) => () => getComputedStyle(document.documentElement).getPropertyValue(variable)

/**
 * Creates a chart in `host`. The legend shows the values under the pointer, else the sums of bars. Dragging zooms in,
 * until that time is older than the data. At most one mark per pixel is drawn: the highest of the buckets that share
 * it.
 */
export function createChart(host: HTMLElement, options: ChartOptions): Chart {
  const { kind, series, note, format } = options
  const canvasHost = element('div', { 'aria-hidden': 'true' })
  const legend = createLegend(series, note)
  const zoomOut = element('button', { type: 'button', class: 'whole' }, 'Whole window')
  host.replaceChildren(canvasHost, legend.root, zoomOut)
  let plot: uPlot | undefined
  let data: ChartData
  let drawn: Drawn
  /** The time range to show, in seconds since 1970; undefined for all. */
  let zoomed: readonly [number, number] | undefined

  const timeOf = (bucket: number) => data.axis.timesS[bucket]!
  const timeText = (bucket: number) => bucketTime(timeOf(bucket), data.axis.bucketS)

  function showSums(): void {
    const { from, to } = drawn
    const sumOf = (values: Float64Array) => values.subarray(from, to).reduce((sum, value) => sum + value, 0)
    const sums = data.values.map((values) => (kind === 'bars' ? format(sumOf(values)) : ''))
    const all = kind === 'bars' ? 'total' : ''
    legend.show(sums, zoomed === undefined ? all : `${timeText(from)} to ${timeText(to - 1)}`)
  }

  function showMark(mark: number): void {
    const { from, to, size, picked } = drawn
    const textOf = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? '' : format(value))
    const texts = data.values.map((values, i) => textOf(values[picked[i]![mark]!]))
    const first = from + mark * size
    const last = Math.min(first + size, to) - 1
    // The segments of a bar show one bucket; lines may show different ones.
    if (kind === 'bars' || size === 1) legend.show(texts, timeText(kind === 'bars' ? picked[0]![mark]! : first))
    else legend.show(texts, `highest, ${timeText(first)} to ${timeText(last)}`)
  }

  function onCursor(under: uPlot): void {
    const { left = -1, idx } = under.cursor
    if (left < 0 || idx === null || idx === undefined) showSums()
    else showMark(kind === 'lines' ? idx : barAt(under.posToVal(left, 'x')))
  }

  /** A bar is drawn to the right of its bucket's start. */
  function barAt(seconds: number): number {
    const { from, size, picked } = drawn
    const mark = Math.floor((positionAt(data.axis, seconds) - from) / size)
    return Math.min(Math.max(mark, 0), picked[0]!.length - 1)
  }

  /** Shows a range of time, or all of it if undefined. */
  function zoom(next: readonly [number, number] | undefined): void {
    zoomed = next
    draw()
  }

  function draw(): void {
    const [from, to] = bucketsOf(data.axis, zoomed)
    const width = canvasHost.clientWidth
    const size = Math.ceil((to - from) / Math.max(width - AXIS_WIDTH, 1))
    drawn = { from, to, size, picked: pickedOf(data, kind, from, to, size) }
    zoomOut.hidden = zoomed === undefined
    plot ??= create(width)
    plot.setSize({ width, height: HEIGHT })
    plot.setData(alignedOf(data, kind, drawn))
    showSums()
  }

  function create(width: number): uPlot {
    const range = (): [number, number] => {
      const { from, to } = drawn
      return [timeOf(from), timeOf(to - 1) + (kind === 'bars' ? data.axis.bucketS : 0)]
    }
    const zoomToSelection = (dragged: uPlot) => {
      const { left, width } = dragged.select
      if (width === 0) return
      dragged.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
      zoom([dragged.posToVal(left, 'x'), dragged.posToVal(left + width, 'x')])
    }
    const bind: uPlot.Cursor.Bind = {
      dblclick: () => () => {
        zoom(undefined)
        return null
      },
    }
    const hooks: uPlot.Hooks.Arrays = { setCursor: [onCursor], setSelect: [zoomToSelection] }
    return new uPlot({ ...optionsOf(options, data.axis.bucketS, width, range, bind), hooks }, undefined, canvasHost)
  }

  zoomOut.addEventListener('click', () => zoom(undefined))
  new ResizeObserver(() => plot && draw()).observe(canvasHost)

  return {
    show(next) {
      const isOther = next.axis.bucketS !== data?.axis.bucketS
      data = next
      if (zoomed !== undefined && (isOther || zoomed[0] < timeOf(0))) zoomed = undefined
      if (isOther) {
        plot?.destroy()
        plot = undefined
      }
      draw()
    },
    redraw: () => plot?.redraw(true),
  }
}

/** Returns the range [from, to) of buckets in a range of time: at least two, because a line has two ends. */
function bucketsOf(axis: Axis, zoomed: readonly [number, number] | undefined): [number, number] {
  const count = axis.timesS.length
  if (zoomed === undefined) return [0, count]
  const [first, last] = zoomed.map((seconds) => positionAt(axis, seconds)) as [number, number]
  const from = Math.max(0, Math.min(first, count - 2))
  return [from, Math.min(Math.max(last + 1, from + 2), count)]
}

function pickedOf(
  { values }: ChartData,
  kind: ChartOptions['kind'],
  from: number,
  to: number,
  size: number,
): readonly Int32Array[] {
  if (kind === 'lines') return values.map((line) => highestOf(line, from, to, size))
  const picked = highestOf(sumsOf(values, to), from, to, size)
  return values.map(() => picked)
}

/**
 * Returns uPlot's data. uPlot draws series in order, so bars are stacked here: the top one first, as high as their
 * sum.
 */
function alignedOf(
  { axis: { timesS }, values }: ChartData,
  kind: ChartOptions['kind'],
  { from, size, picked }: Drawn,
): uPlot.AlignedData {
  const times = Array.from(picked[0]!, (_, mark) => timesS[from + mark * size]!)
  const shownAt = (bucket: number, i: number) => {
    const value = values[i]![bucket]
    return value === undefined || Number.isNaN(value) ? null : value
  }
  const shown = picked.map((buckets, i) => Array.from(buckets, (bucket) => shownAt(bucket, i)))
  if (kind === 'lines') return [times, ...shown]
  for (let i = 1; i < shown.length; i++) shown[i] = shown[i]!.map((value, mark) => value! + shown[i - 1]![mark]!)
  return [times, ...shown.reverse()]
}

function optionsOf(
  { kind, series, shortFormat }: ChartOptions,
  bucketS: number,
  width: number,
  range: () => [number, number],
  bind: uPlot.Cursor.Bind,
): uPlot.Options {
  const drawn = kind === 'bars' ? [...series].reverse() : series
  const grid = { stroke: styleOf('--line'), width: 1 }
  const axis = { stroke: styleOf('--muted'), font: '12px system-ui, sans-serif', grid, ticks: grid }
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: {
      y: false,
      bind,
      drag: { x: true, y: false, setScale: false, dist: 4 },
      points: { show: kind === 'lines' },
    },
    tzDate: dateInZone,
    scales: {
      x: { range },
      y: { range: (_, min, max) => [min < 0 ? min * 1.08 : 0, max > 0 ? max * 1.08 : min < 0 ? 0 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 32,
        incrs: STEPS.filter((step) => step >= bucketS),
        values: (_, splits, __, ___, step) => splits.map((seconds) => tick(seconds, step)),
      },
      { ...axis, size: AXIS_WIDTH, values: (_, splits) => splits.map((value) => shortFormat(value)) },
    ],
    series: [
      {},
      ...drawn.map(({ color }): uPlot.Series => {
        const paint = styleOf(`--${color}`)
        if (kind === 'bars')
          return { fill: paint, stroke: paint, width: 0, paths: uPlot.paths.bars!(BAR), points: { show: false } }
        return {
          stroke: paint,
          width: 2,
          spanGaps: bucketS === 0,
          points: { filter: lonePoints, fill: styleOf('--card') },
        }
      }),
    ],
  }
}

/** Returns the positions to draw points at: those without a neighbour, to which no line leads; null for all. */
function lonePoints({ data }: uPlot, series: number, areAllShown: boolean): number[] | null {
  if (areAllShown) return null
  const values = data[series]!
  const isValue = (i: number) => typeof values[i] === 'number'
  return Array.from(values.keys()).filter((i) => isValue(i) && !isValue(i - 1) && !isValue(i + 1))
}

/** Returns a date whose local time is the time that users see, so that ticks are at whole hours and days of it. */
function dateInZone(seconds: number): Date {
  const date = new Date(seconds * 1_000)
  return currentZone() === UTC ? uPlot.tzDate(date, 'Etc/UTC') : date
}

/** Distances between ticks of the time axis, in seconds. */
const STEPS = [
  1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
  2_592_000, 7_776_000, 15_552_000, 31_536_000,
]
