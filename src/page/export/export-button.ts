/** The button that opens a menu to save the rows of a view. All else is loaded when the menu is opened first. */
import { element } from '../shared/dom.js'
import type { ExportSource } from './source.js'

/**
 * Creates the button, with a place for the menu. The view only has to insert the element. A page can have several
 * buttons. `load` is called on the first click, so that a view can import the code to save rows then.
 */
export function createExportButton(load: () => ExportSource | Promise<ExportSource>): HTMLElement {
  const button = element('button', { type: 'button', class: 'small', 'aria-haspopup': 'dialog' }, 'Export')
  const root = element('span', { class: 'export' }, button)

  async function open(): Promise<void> {
    try {
      const [{ createExportMenu }, source] = await Promise.all([import('./menu.js'), load()])
      // The browser opens and closes the menu from now on. A second click may have come while the menu was loading.
      if (button.popoverTargetElement === null) root.append(createExportMenu(button, source))
      button.removeEventListener('click', open)
    } catch {
      button.title = 'The service cannot be reached. Try again.'
    }
  }

  button.addEventListener('click', open)
  return root
}
