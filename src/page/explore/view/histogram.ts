/** The histogram of the rows: stacked by class, to choose a range of time by dragging or with the keyboard. */
import { createRangeChart } from '../../plot/range-chart.js'
import { element } from '../../shared/dom.js'
import { count, shortCount } from '../../shared/format.js'
import type { Send } from '../model/message.js'
import type { Draw, HistogramModel } from '../model/model.js'
import { histogramOf } from './histogram-data.js'

/** In pixels. */
const HEIGHT = 104

/** The chart above the list, or a text in place of the chart. */
export interface Histogram {
  draw: Draw
  redraw(): void
}

/** Creates the histogram in `root`. */
export function createHistogram(root: HTMLElement, send: Send): Histogram {
  const text = element('p', { class: 'state', role: 'status' })
  const chart = createRangeChart({
    name: 'Rows over time',
    kind: 'bars',
    format: count,
    shortFormat: shortCount,
    height: HEIGHT,
    onSelect: (range) => send({ kind: 'changed', next: { range, record: '' }, isStep: true }),
  })
  root.append(chart.root, text)

  function showBars(shown: HistogramModel['shown']): void {
    // The list says why there are none.
    const data = shown && histogramOf(shown.rows, shown.bounds, shown.nowUs)
    // Shown before drawing: a hidden element has no width.
    chart.root.hidden = data === undefined
    if (data !== undefined) chart.show(data)
  }

  return {
    draw({ histogram }, before) {
      if (histogram === before?.histogram) return
      root.setAttribute('aria-busy', String(histogram.isLoading))
      text.textContent = histogram.text
      if (before === undefined || histogram.shown !== before.histogram.shown) showBars(histogram.shown)
    },
    redraw: chart.redraw,
  }
}
