/** Copies texts to the clipboard. */
import { element } from './dom.js'

/**
 * Copies a text, and returns whether that worked. Over plain HTTP from another machine a page has no clipboard API, so
 * the text is selected in a field and copied from there.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

function copySelected(text: string): boolean {
  const focused = document.activeElement
  const field = element('textarea', { class: 'hidden', readonly: '', 'aria-hidden': 'true' })
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
