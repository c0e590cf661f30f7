/** Draws the charts of an answer. */
import { type Chart, createChart } from '../plot/chart.js'
import { element } from '../shared/dom.js'
import { number, shortNumber } from '../shared/format.js'
import type { AnswerChart, AnswerCharts } from './charts-of.js'

/** The charts of an answer on the page, with their element. */
export interface ChartSet {
  readonly root: HTMLElement
  /** Shows an answer. If the previous answer had the same series, the charts stay, with a zoom that fits the answer. */
  show(answer: AnswerCharts): void
  /** Draws again, with the colours of the current theme. */
  redraw(): void
}

/** Creates an empty set. `root` must be on the page when charts are shown, since a chart is as wide as `root`. */
export function createChartSet(): ChartSet {
  const root = element('div', { class: 'pair' })
  let shape = ''
  let charts: readonly Chart[] = []
  return {
    root,
    show({ axis, charts: answer }) {
      if (shape !== shapeOf(answer)) {
        for (const chart of charts) chart.destroy()
        charts = createCharts(root, answer)
      }
      shape = shapeOf(answer)
      for (const [i, { values }] of answer.entries()) charts[i].show({ axis, values })
    },
    redraw() {
      for (const chart of charts) chart.redraw()
    },
  }
}

function createCharts(place: HTMLElement, answer: readonly AnswerChart[]): Chart[] {
  const hosts = answer.map(() => element('div', { class: 'chart' }))
  const named = answer.map(({ title }, i) =>
    title === '' ? hosts[i] : element('div', {}, element('h3', {}, title), hosts[i]),
  )
  place.replaceChildren(...named)
  return answer.map(({ kind, series, note }, i) =>
    createChart(hosts[i], { kind, series, note, format: number, shortFormat: shortNumber }),
  )
}

/** A chart has the same series for ever. */
const shapeOf = (charts: readonly AnswerChart[]) =>
  JSON.stringify(charts.map(({ title, kind, series, note }) => [title, kind, series, note]))
