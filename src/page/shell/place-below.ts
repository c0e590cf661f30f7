/** Distance to the edges of the window, in pixels. */
const MARGIN = 8

/** Places an element that is fixed to the window below another one, and within the window. */
export function placeBelow(box: HTMLElement, anchor: HTMLElement): void {
  const { left, bottom, width } = anchor.getBoundingClientRect()
  box.style.minWidth = `${width}px`
  box.style.top = `${bottom + 4}px`
  box.style.maxHeight = `${innerHeight - bottom - 4 - MARGIN}px`
  const room = innerWidth - box.offsetWidth - MARGIN
  box.style.left = `${Math.max(MARGIN, Math.min(left, room))}px`
}
