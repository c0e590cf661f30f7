/** Calls the action of a pressed key, unless it is typed into a field, has a modifier, or a dialog or menu is open. */
export function startKeys(actions: Readonly<Record<string, () => void>>): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const { target } = event
    const isTyping = target instanceof HTMLInputElement || target instanceof HTMLSelectElement
    if (isTyping) {
      if (event.key === 'Escape') target.blur()
      return
    }
    if (document.querySelector('dialog[open], :popover-open') !== null || !Object.hasOwn(actions, event.key)) return
    event.preventDefault()
    actions[event.key]!()
  })
}
