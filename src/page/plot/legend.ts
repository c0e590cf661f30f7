import { element } from '../shared/dom.js'

/** Legend of a chart. */
export interface Legend {
  readonly root: HTMLElement
  /** Shows a text per entry, and the time of the texts. */
  show(texts: readonly string[], when: string): void
}

/**
 * Creates a legend that names the series of a chart with their colours, shows a value of each, and then a note. Each
 * name is a button that hides the series, or shows it again: `onToggle` is called with the index of the series.
 */
export function createLegend(
  entries: readonly { label: string; color: string }[],
  note: string,
  onToggle: (index: number, isShown: boolean) => void,
): Legend {
  const values = entries.map(() => element('b'))
  const when = element('li', { class: 'when' })
  const items = entries.map(({ label, color }, i) => {
    const button = element('button', { type: 'button', 'aria-pressed': 'true', title: `Hide or show ${label}` })
    button.append(element('i', { class: color }), label)
    button.addEventListener('click', () => {
      const isShown = button.getAttribute('aria-pressed') !== 'true'
      button.setAttribute('aria-pressed', String(isShown))
      onToggle(i, isShown)
    })
    return element('li', {}, button, ' ', values[i])
  })
  const notes = note === '' ? [] : [element('li', { class: 'note' }, note)]
  return {
    root: element('ul', { class: 'legend' }, ...items, ...notes, when),
    show(texts, whenText) {
      for (const [i, text] of texts.entries()) values[i].textContent = text
      when.textContent = whenText
    },
  }
}
