/** On a narrow window the controls of the header are in a dialog. */
import { byId } from '../shared/dom.js'

/** Moves the controls between header and dialog as the width of the window requires. */
export function startSheet(): { close(): void } {
  const isWide = matchMedia('(min-width: 64rem)')
  const [sheet, controls, tools] = [byId<HTMLDialogElement>('sheet'), byId('controls'), byId('tools')]
  const place = () => {
    if (isWide.matches) {
      if (sheet.open) sheet.close()
      byId('controls-place').append(controls)
      byId('tools-place').append(tools)
    } else byId('sheet-place').append(controls, tools)
  }
  isWide.addEventListener('change', place)
  byId('open-sheet').addEventListener('click', () => sheet.showModal())
  // A click outside the dialog is on its backdrop, which counts as the dialog itself.
  sheet.addEventListener('click', ({ target }) => target === sheet && sheet.close())
  place()
  return { close: () => sheet.open && sheet.close() }
}
