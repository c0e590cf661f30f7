import { element } from '../shared/dom.js'

/** Legend of a chart. */
export interface Legend {
  readonly root: HTMLElement
  /** Shows one text per entry, and the time that they belong to. */
  show(texts: readonly string[], when: string): void
}

/** Creates a legend that names the series of a chart with their colours, shows a value of each, and then a note. */
export function createLegend(entries: readonly { label: string; color: string }[], note = ''): Legend {
  const values = entries.map(() => element('b'))
  const when = element('li', { class: 'when' })
  const items = entries.map(({ label, color }, i) =>
    element('li', {}, element('i', { class: color }), `${label} `, values[i]!),
  )
  const notes = note === '' ? [] : [element('li', { class: 'note' }, note)]
  return {
    root: element('ul', { class: 'legend' }, ...items, ...notes, when),
    show(texts, whenText) {
      for (const [i, text] of texts.entries()) values[i]!.textContent = text
      when.textContent = whenText
    },
  }
}
