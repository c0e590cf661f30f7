import { copyText } from '../shared/copy.js'
import { element } from '../shared/dom.js'

/** How long a button shows the outcome of a copy, in milliseconds. */
const SAID_MS = 1_500

/** Returns a line for a shell with a button that copies it. `lineOf` is called now, and by `update`. */
export function createCopyLine(name: string, lineOf: () => string): { root: HTMLElement; update(): void } {
  const text = element('code', { tabindex: '0', role: 'group', 'aria-label': `${name} line` }, lineOf())
  const button = element('button', { type: 'button', class: 'small' }, 'Copy')
  const status = element('span', { class: 'hidden', role: 'status' })
  let timer: ReturnType<typeof setTimeout> | undefined
  const say = (shown: string, said: string) => {
    button.textContent = shown
    status.textContent = said
  }
  button.addEventListener('click', async () => {
    const isCopied = await copyText(text.textContent)
    say(isCopied ? 'Copied' : 'Select it', isCopied ? 'Copied.' : 'It could not be copied: select the line.')
    clearTimeout(timer)
    timer = setTimeout(() => say('Copy', ''), SAID_MS)
  })
  const update = () => {
    text.textContent = lineOf()
  }
  return { root: element('div', { class: 'copy-line' }, text, button, status), update }
}

/** The same for a line that never changes. */
export const copyLine = (name: string, lineOf: () => string): HTMLElement => createCopyLine(name, lineOf).root
