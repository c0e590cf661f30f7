/** A choice by radio buttons. */
import { element } from '../shared/dom.js'

/** A group of radio buttons. */
export interface Choice {
  readonly root: HTMLFieldSetElement
  /** Shows labels. The chosen place stays chosen, if the labels have that place. */
  show(labels: readonly string[]): void
  choose(index: number): void
  /** Returns the place of the label that is chosen. */
  chosen(): number
}

/** Radio buttons of the same name belong together. */
let groups = 0

/** Creates a group. `kind`: class of the element. */
export function createChoice(title: string, kind: string): Choice {
  const root = element('fieldset', { class: `choice ${kind}` })
  const name = `choice-${++groups}`
  let at = 0

  function choose(index: number): void {
    at = index
    const inputs = root.querySelectorAll('input')
    for (const [i, input] of inputs.entries()) input.checked = i === index
  }

  root.addEventListener('change', ({ target }) => {
    at = Number((target as HTMLInputElement).value)
  })
  return {
    root,
    show(labels) {
      const options = labels.map((label, i) =>
        element('label', {}, element('input', { type: 'radio', name, value: String(i) }), element('span', {}, label)),
      )
      root.replaceChildren(element('legend', {}, title), ...options)
      choose(Math.min(at, Math.max(labels.length - 1, 0)))
    },
    choose,
    chosen: () => at,
  }
}
