import { element } from './dom.js'

/** Legend of a chart. */
export interface Legend {
  readonly root: HTMLElement
  /** Shows one text per entry, and the time that they belong to. */
  show(texts: readonly string[], when: string): void
}

/** Creates a legend that names the series of a chart with their colours, and shows a value of each. */
export function createLegend(entries: readonly { label: string; color: string }[]): Legend {
  const values = entries.map(() => element('b'))
  const when = element('li', { class: 'when' })
  const items = entries.map(({ label, color }, i) =>
    element('li', {}, element('i', { class: color }), `${label} `, values[i]!),
  )
  return {
    root: element('ul', { class: 'legend' }, ...items, when),
    show(texts, whenText) {
      for (const [i, text] of texts.entries()) values[i]!.textContent = text
      when.textContent = whenText
    },
  }
}
