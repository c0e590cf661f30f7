/** The options of uPlot for a chart: axes, colours and marks. */

import uPlot from 'uplot'
import { currentZone, tick } from '../shared/times.js'
import type { ChartKind } from './marks.js'
import { TIME_STEPS, timeTicks } from './time-ticks.js'

/** A line, or a segment of each stacked bar. */
export interface Series {
  label: string
  /** Name of the colour, such as `series-1`. */
  color: string
}

/** Look of a chart. */
export interface PlotLook {
  kind: ChartKind
  series: readonly Series[]
  /** In pixels, like `axisWidth`, the width of the axis of values. */
  height: number
  axisWidth: number
  /** Formats a value for the axis. */
  shortFormat(value: number): string
}

/** A bar is 85 % of its bucket wide, and at most 72 pixels. */
const BAR: uPlot.Series.BarsPathBuilderOpts = { size: [0.85, 72], align: 1 }
const TIME_AXIS_HEIGHT = 32
/** The least distance between two ticks in pixels: in a low chart a value next to zero must still have a tick. */
const tickSpace = (height: number) => (height < 150 ? 20 : 30)

const styleOf = (variable: string) => () => getComputedStyle(document.documentElement).getPropertyValue(variable)

/** Returns the options of a chart `width` pixels wide, with buckets of `bucketS` seconds. */
export function plotOptions(
  look: PlotLook,
  bucketS: number,
  width: number,
  range: () => [number, number],
  bind: uPlot.Cursor.Bind,
): uPlot.Options {
  const { kind, height } = look
  return {
    width,
    height,
    legend: { show: false },
    cursor: {
      y: false,
      bind,
      drag: { x: true, y: false, setScale: false, dist: 4 },
      points: { show: kind === 'lines' },
    },
    scales: {
      x: { range },
      y: { range: (_, min, max) => [min < 0 ? min * 1.08 : 0, max > 0 ? max * 1.08 : min < 0 ? 0 : 1] },
    },
    axes: axesOf(look, bucketS),
    series: [{}, ...seriesOf(look, bucketS)],
  }
}

function axesOf({ kind, height, axisWidth, shortFormat }: PlotLook, bucketS: number): uPlot.Axis[] {
  const grid = { stroke: styleOf('--line'), width: 1 }
  const axis = { stroke: styleOf('--muted'), font: '12px system-ui, sans-serif', grid, ticks: grid }
  return [
    {
      ...axis,
      size: TIME_AXIS_HEIGHT,
      incrs: TIME_STEPS.filter((step) => step >= bucketS),
      splits: (_, __, from, to, step) => timeTicks(from, to, step, currentZone()),
      values: (_, splits, __, ___, step) => splits.map((seconds, i) => tick(seconds, step, splits[i - 1])),
    },
    {
      ...axis,
      size: axisWidth,
      space: tickSpace(height),
      // Bars are counts, which are whole numbers.
      ...(kind === 'bars' && { incrs: WHOLE_STEPS }),
      values: (_, splits) => splits.map((value) => shortFormat(value)),
    },
  ]
}

function seriesOf({ kind, series }: PlotLook, bucketS: number): uPlot.Series[] {
  const drawn = kind === 'bars' ? [...series].reverse() : series
  return drawn.map(({ color }): uPlot.Series => {
    const paint = styleOf(`--${color}`)
    if (kind === 'bars')
      return { fill: paint, stroke: paint, width: 0, paths: uPlot.paths.bars!(BAR), points: { show: false } }
    return {
      stroke: paint,
      width: 2,
      spanGaps: bucketS === 0,
      points: { filter: lonePoints, fill: styleOf('--card') },
    }
  })
}

/**
 * Returns the positions to draw points at: values without a neighbour, to which no line leads. Returns null for all
 * positions.
 */
function lonePoints({ data }: uPlot, series: number, areAllShown: boolean): number[] | null {
  if (areAllShown) return null
  const values = data[series]
  const isValue = (i: number) => typeof values[i] === 'number'
  return Array.from(values.keys()).filter((i) => isValue(i) && !isValue(i - 1) && !isValue(i + 1))
}

/** Paints the background of a range of time. Undefined: no range. */
export function paintRunning({ ctx, bbox, valToPos }: uPlot, span: readonly [number, number] | undefined): void {
  if (span === undefined) return
  const [from, to] = span.map((seconds) => valToPos(seconds, 'x', true)) as [number, number]
  const [left, right] = [Math.max(from, bbox.left), Math.min(to, bbox.left + bbox.width)]
  if (right <= left) return
  ctx.save()
  ctx.fillStyle = styleOf('--running')()
  ctx.fillRect(left, bbox.top, right - left, bbox.height)
  ctx.restore()
}

/** Distances between ticks of an axis of whole numbers. */
const WHOLE_STEPS = Array.from({ length: 16 }, (_, i) => [1, 2, 5].map((digit) => digit * 10 ** i)).flat()
