/** The menu to save rows: format, extent, progress, and a link to the same rows. */
import { type Failure, sessionSignal } from '../api/api.js'
import { failureOf } from '../api/explore.js'
import { copyText } from '../shared/copy.js'
import { element } from '../shared/dom.js'
import { count } from '../shared/format.js'
import { placeBelow } from '../shared/place-below.js'
import { storedIn } from '../shared/stored.js'
import { createChoice } from './choice.js'
import { chooseFile, downloadFile, type OutputFile } from './file.js'
import { FORMAT_INFO, FORMATS, type Format } from './formats.js'
import { createProgress, sizeText } from './progress.js'
import { saveRows } from './save.js'
import type { ExportSource, Extent } from './source.js'

/** The format that was chosen last. */
const storedFormat = storedIn('localStorage', 'logweir-export')

/** Files that are being written, in all menus. The browser asks before closing the page. */
const files = new Set<AbortController>()
addEventListener('beforeunload', (event) => {
  if (files.size > 0) event.preventDefault()
})

/** Loaded with the menu, and before the menu is shown: the place of the menu depends on its size. */
const styles = element('link', { rel: 'stylesheet', href: 'page/styles/export.css' })
await new Promise((resolve) => {
  styles.addEventListener('load', resolve)
  styles.addEventListener('error', resolve)
  document.head.append(styles)
})

interface MenuElements {
  readonly button: HTMLButtonElement
  readonly source: ExportSource
  readonly menu: HTMLElement
  readonly format: ReturnType<typeof createChoice>
  readonly extent: ReturnType<typeof createChoice>
  readonly save: HTMLButtonElement
  readonly cancel: HTMLButtonElement
  readonly link: HTMLButtonElement
  readonly progress: ReturnType<typeof createProgress>
  readonly status: HTMLElement
  extents: readonly Extent[]
  /** The file that is being written. */
  work: AbortController | undefined
}

/** Creates the menu of a button, and opens the menu as soon as it is in the page. */
export function createExportMenu(button: HTMLButtonElement, source: ExportSource): HTMLElement {
  const elements = createMenuElements(button, source)
  const { menu, save, cancel, link, format } = elements
  save.addEventListener('click', () => void saveChosen(elements))
  cancel.addEventListener('click', () => elements.work?.abort())
  link.addEventListener('click', () => void copyLink(elements))
  menu.addEventListener('toggle', (event) => {
    if ((event as ToggleEvent).newState === 'open') onOpen(elements)
    // The outcome of a file that ends after this is there when the menu is opened again.
    else say(elements, '')
  })
  format.show(FORMATS.map((name) => FORMAT_INFO[name].title))
  format.choose(Math.max(0, FORMATS.indexOf(storedFormat.read() as Format)))
  button.popoverTargetElement = menu
  queueMicrotask(() => menu.showPopover())
  return menu
}

function createMenuElements(button: HTMLButtonElement, source: ExportSource): MenuElements {
  const action = (text: string, kind: string) => element('button', { type: 'button', class: kind }, text)
  const [save, cancel, link] = [action('Save', 'first'), action('Cancel', ''), action('Copy link', '')]
  link.title = 'The address of this page, with the time range that is shown now. It has no token.'
  const [format, extent, progress] = [
    createChoice('Format', 'format'),
    createChoice('Rows', 'extent'),
    createProgress(),
  ]
  const status = element('p', { class: 'fine', role: 'status' })
  const menu = element(
    'div',
    { class: 'menu export-menu', role: 'dialog', 'aria-label': 'Export', popover: '' },
    format.root,
    extent.root,
    progress.root,
    element('div', { class: 'export-actions' }, save, cancel, link),
    status,
  )
  const shown = { format, extent, save, cancel, link, progress, status }
  return { button, source, menu, ...shown, extents: [], work: undefined }
}

function onOpen(elements: MenuElements): void {
  const { menu, button, source, extent } = elements
  if (elements.work === undefined) {
    elements.extents = source.extents()
    extent.show(elements.extents.map(({ label }) => label))
    if (elements.extents.length === 0) say(elements, 'There are no rows to save.')
  }
  showWork(elements)
  placeBelow(menu, button)
  ;(menu.querySelector<HTMLElement>('input:checked:enabled') ?? elements.cancel).focus()
}

/** Shows the controls for the current state: to save rows, or to cancel. */
function showWork({ format, extent, extents, save, cancel, link, progress, source, work }: MenuElements): void {
  const hasRows = extents.length > 0
  for (const choice of [format, extent]) {
    choice.root.hidden = !hasRows
    choice.root.disabled = work !== undefined
  }
  save.hidden = !hasRows || work !== undefined
  cancel.hidden = work === undefined
  progress.root.hidden = work === undefined
  link.hidden = source.link === undefined
}

function say({ status }: MenuElements, text: string, isProblem = false): void {
  status.textContent = text
  status.classList.toggle('error', isProblem)
}

async function copyLink(elements: MenuElements): Promise<void> {
  const isCopied = await copyText(elements.source.link!())
  say(elements, isCopied ? 'Copied the link.' : 'The browser does not permit copying. Copy the address of the page.')
}

/** Saves the chosen rows in the chosen format, and shows the outcome. */
async function saveChosen(elements: MenuElements): Promise<void> {
  const format = FORMATS[elements.format.chosen()]
  storedFormat.write(format)
  const rows = elements.extents[elements.extent.chosen()].open()
  const name = `${rows.name}.${format}`
  const { type } = FORMAT_INFO[format]
  // Rows that the view has are few enough for the memory.
  const file = typeof rows.pages === 'function' ? await chooseFile(name, type) : downloadFile(name, type)
  if (file === undefined) return
  const work = new AbortController()
  const abort = () => work.abort()
  sessionSignal().addEventListener('abort', abort, { signal: work.signal })
  elements.work = work
  files.add(work)
  say(elements, '')
  elements.progress.begin()
  showWork(elements)
  if (elements.menu.contains(document.activeElement) || document.activeElement === document.body)
    elements.cancel.focus()
  try {
    const side = { signal: work.signal, onWait: elements.progress.wait }
    const saved = await saveRows(rows, { file, format, work: side }, elements.progress.show)
    end(elements, work, savedText(file, saved))
  } catch (error) {
    if (work.signal.aborted) end(elements, work, 'Cancelled. Nothing was saved.')
    else fail(elements, work, failureOf(error))
  }
}

const savedText = ({ name, bytes }: OutputFile, rows: number) =>
  `Saved ${count(rows)} ${rows === 1 ? 'row' : 'rows'}, ${sizeText(bytes)}, as ${name}`

function end(elements: MenuElements, work: AbortController, text: string, isProblem = false): void {
  const hadFocus = document.activeElement === elements.cancel
  files.delete(work)
  elements.work = undefined
  showWork(elements)
  say(elements, text, isProblem)
  if (hadFocus) elements.save.focus()
}

function fail(elements: MenuElements, work: AbortController, failure: Failure): void {
  end(elements, work, `Nothing was saved. ${failure.message}`, true)
  if (elements.source.isHandled?.(failure)) return
  // The user may have closed the menu, and must not miss the failure.
  if (elements.button.checkVisibility() && !elements.menu.matches(':popover-open')) elements.menu.showPopover()
}
