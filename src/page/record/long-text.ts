/** Texts that may be long: the beginning is shown, and the remainder on demand. */
import { element } from '../shared/dom.js'
import { firstEnd, marked } from './marks.js'

/** Characters that are shown at first. */
const SHOWN = 500
/** Characters that are shown after a match that is further on. */
const CONTEXT = 100
/** Up to this many characters a text is shown as far as its first match. */
const MAX_SHOWN = 20_000

/** Returns an element with a text, in which `words` are marked. A button shows the remainder of a long text. */
export function longText(text: string, words: readonly string[]): HTMLElement {
  const shown = element('span', { class: 'shown' })
  const length = lengthShown(text, words)
  const root = element('span', { class: 'long' }, shown)
  if (length >= text.length) {
    shown.append(...marked(text, words))
    return root
  }
  const more = element('button', { type: 'button', class: 'small' }, `Show all ${text.length.toLocaleString('en')}`)
  more.setAttribute('aria-label', `Show all ${text.length.toLocaleString('en')} characters`)
  shown.append(...marked(text.slice(0, length), words), '…')
  more.addEventListener('click', (event) => {
    event.stopPropagation()
    shown.replaceChildren(...marked(text, words))
    more.remove()
  })
  root.append(more)
  return root
}

function lengthShown(text: string, words: readonly string[]): number {
  const length = Math.min(Math.max(SHOWN, firstEnd(text, words) + CONTEXT), MAX_SHOWN)
  // No button for a few characters, and no half of a surrogate pair.
  if (text.length <= length + CONTEXT) return text.length
  return /[\uD800-\uDBFF]/.test(text[length - 1]) ? length - 1 : length
}
