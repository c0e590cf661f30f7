/** Calls the action of a pressed key, unless it is typed into a field, has a modifier, or a dialog or menu is open. */
export function startKeys(actions: Readonly<Record<string, () => void>>): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    // In a shadow tree, such as the editor's, the target of the event would be the host of the tree.
    const [target] = event.composedPath()
    if (isField(target)) {
      if (event.key === 'Escape') target.blur()
      return
    }
    if (document.querySelector('dialog[open], :popover-open') !== null || !Object.hasOwn(actions, event.key)) return
    event.preventDefault()
    actions[event.key]()
  })
}

const isField = (target: EventTarget | undefined): target is HTMLElement =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLElement && target.isContentEditable)
