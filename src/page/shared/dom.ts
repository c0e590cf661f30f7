/** Returns the element with this id, which must exist. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T
}

/** Shows a text in a place, which is hidden while the text is empty. */
export function showText(place: HTMLElement, text: string): void {
  place.textContent = text
  place.hidden = text === ''
}

/** Creates an element. Strings become text nodes, so that nothing in an answer is parsed as HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** Creates a button with a text, which calls `act` on a click. */
export function buttonOf(text: string, act: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text)
  made.addEventListener('click', act)
  return made
}
