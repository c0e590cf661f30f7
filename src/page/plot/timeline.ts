/** A timeline: a lane for each alert, with the spans of time during which the alert was pending or firing. */
import { element } from '../shared/dom.js'
import { count, lengthText } from '../shared/format.js'
import { currentZone, tick, timestamp } from '../shared/times.js'
import { firedIn, type Lane, type StateSpan, type TimelineRange } from './spans.js'
import { TIME_STEPS, timeTicks } from './time-ticks.js'

/** Most lanes in a timeline, and most spans in a lane: the newest are shown. */
const [MAX_LANES, MAX_SPANS] = [10, 500]
/** Most ticks of the axis. */
const MAX_TICKS = 6
/** Height of a lane and of the axis in pixels. */
const [LANE_HEIGHT, AXIS_HEIGHT] = [14, 16]
/** The least width of a span, in percent. */
const MIN_WIDTH = 0.3

/** Creates the elements of a timeline, or an element with the text `empty` if there are no lanes. */
export function timelineOf(lanes: readonly Lane[], range: TimelineRange, empty: string): HTMLElement {
  if (lanes.length === 0) return element('p', { class: 'fine timeline-empty' }, empty)
  const shown = lanes.slice(0, MAX_LANES).map((lane) => laneOf(lane, range))
  const hidden = lanes.length - shown.length
  const more = hidden === 0 ? [] : [element('p', { class: 'fine' }, `and ${hidden} more, which were active earlier`)]
  const axis = element('div', { class: 'lane axis', 'aria-hidden': 'true' }, element('span'), axisOf(range))
  return element('div', { class: 'timeline' }, ...shown, axis, ...more)
}

function laneOf(lane: Lane, range: TimelineRange): HTMLElement {
  const name = lane.name === '' ? 'no labels' : lane.name
  const svg = svgElement('svg', {
    role: 'img',
    height: LANE_HEIGHT,
    'aria-label': `${name}: ${summaryOf(lane, range)}`,
  })
  svg.append(...lane.spans.slice(-MAX_SPANS).map((span) => spanElement(span, range)))
  return element('div', { class: 'lane' }, element('bdi', { class: 'lane-name', title: name }, name), svg)
}

function summaryOf(lane: Lane, range: TimelineRange): string {
  const { times, lengthUs } = firedIn([lane], range)
  if (times === 0) return 'pending only'
  return `fired ${times === 1 ? 'once' : `${count(times)} times`}, ${lengthText(lengthUs / 1e6)} in all`
}

function spanElement(span: StateSpan, range: TimelineRange): SVGElement {
  const [from, to] = [percentOf(span.fromUs, range), percentOf(span.toUs, range)]
  const width = Math.max(to - from, MIN_WIDTH)
  const x = Math.min(from, 100 - width)
  const rect = svgElement('rect', { class: span.state, x: `${x}%`, width: `${width}%`, y: 1, height: LANE_HEIGHT - 2 })
  const title = svgElement('title', {})
  title.textContent = spanText(span)
  rect.append(title)
  return rect
}

/** Returns a span in words: `firing from 2026-11-20 10:00:00 to 10:05:00`. */
function spanText({ state, fromUs, toUs, isOpen }: StateSpan): string {
  const from = secondOf(fromUs)
  if (isOpen) return `${state} since ${from}`
  if (toUs === fromUs) return `${state} at ${from}`
  const to = secondOf(toUs)
  return `${state} from ${from} to ${from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to}`
}

const secondOf = (us: number) => timestamp(us).slice(0, 19)

/** Returns the place of a time within a range, from 0 to 100. */
function percentOf(us: number, { fromUs, toUs }: TimelineRange): number {
  const share = (us - fromUs) / Math.max(1, toUs - fromUs)
  return Math.round(Math.min(Math.max(share, 0), 1) * 10_000) / 100
}

function axisOf(range: TimelineRange): SVGElement {
  const [fromS, toS] = [range.fromUs / 1e6, range.toUs / 1e6]
  const step = TIME_STEPS.find((one) => (toS - fromS) / one <= MAX_TICKS) ?? TIME_STEPS.at(-1)!
  const svg = svgElement('svg', { height: AXIS_HEIGHT })
  const ticks = timeTicks(fromS, toS, step, currentZone())
  for (const [i, seconds] of ticks.entries()) {
    const x = percentOf(seconds * 1e6, range)
    const anchor = x < 5 ? 'start' : x > 95 ? 'end' : 'middle'
    const text = svgElement('text', { x: `${x}%`, y: AXIS_HEIGHT - 4, 'text-anchor': anchor })
    text.textContent = tick(seconds, step, ticks[i - 1])
    svg.append(text)
  }
  return svg
}

function svgElement(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  return made
}
