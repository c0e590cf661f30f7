/** The histogram of the rows: stacked by class, to choose a range of time by dragging or with the keyboard. */
import type { HistogramRow } from '../api/explore.js'
import { createRangeChart } from '../plot/range-chart.js'
import { element } from '../shared/dom.js'
import { count, shortCount } from '../shared/format.js'
import type { Bounds } from '../shared/range.js'
import { histogramOf } from './histogram-data.js'

/** In pixels. */
const HEIGHT = 104

/** The chart above the list, or a text in place of the chart. */
export interface Histogram {
  /** Shows rows over a range. */
  show(rows: readonly HistogramRow[], bounds: Bounds, nowUs: number): void
  /** Shows a text instead of bars. */
  showText(text: string): void
  /** Dims the bars until the next bars are shown. */
  loading(): void
  /** Shows the previous bars again: loading failed. */
  keep(): void
  redraw(): void
}

/** Creates the histogram in `root`. `onSelect` is called with a range that was chosen. */
export function createHistogram(root: HTMLElement, onSelect: (bounds: Bounds) => void): Histogram {
  const text = element('p', { class: 'state', role: 'status' })
  const chart = createRangeChart({
    name: 'Rows over time',
    kind: 'bars',
    format: count,
    shortFormat: shortCount,
    height: HEIGHT,
    onSelect,
  })
  root.append(chart.root, text)

  function showText(message: string): void {
    root.setAttribute('aria-busy', 'false')
    text.textContent = message
    chart.root.hidden = true
  }

  showText('')
  return {
    show(rows, bounds, nowUs) {
      const data = histogramOf(rows, bounds, nowUs)
      // The list says why there are none.
      showText('')
      if (data === undefined) return
      // Shown before drawing: a hidden element has no width.
      chart.root.hidden = false
      chart.show(data)
    },
    showText,
    loading: () => root.setAttribute('aria-busy', 'true'),
    keep: () => root.setAttribute('aria-busy', 'false'),
    redraw: chart.redraw,
  }
}
