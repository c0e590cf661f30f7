import { element } from './dom.js'

export interface Legend {
  readonly root: HTMLElement
  /** A text for each entry, and of when they are. */
  tell(texts: readonly string[], when: string): void
}

/** Names the parts of a chart by their colours, and tells a value of each. */
export function createLegend(entries: readonly { label: string; color: string }[]): Legend {
  const values = entries.map(() => element('b'))
  const when = element('li', { class: 'when' })
  const items = entries.map(({ label, color }, i) =>
    element('li', {}, element('i', { class: color }), `${label} `, values[i]!),
  )
  return {
    root: element('ul', { class: 'legend' }, ...items, when),
    tell(texts, whenText) {
      for (const [i, text] of texts.entries()) values[i]!.textContent = text
      when.textContent = whenText
    },
  }
}
