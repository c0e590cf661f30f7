/** On a narrow window the fields are in a pane that is opened by a button. */
import { byId } from '../../shared/dom.js'

/** Wires the button. `find` moves the focus to where the user writes the name of a field, and opens the pane. */
export function startFieldsPane(): { find(): void } {
  const [button, field] = [byId('show-fields'), byId('find-field')]
  const toggle = () => {
    const isOpen = byId('explore').classList.toggle('fields-open')
    button.setAttribute('aria-expanded', String(isOpen))
    if (isOpen) field.focus()
  }
  button.addEventListener('click', toggle)
  return { find: () => (field.checkVisibility() ? field.focus() : toggle()) }
}
