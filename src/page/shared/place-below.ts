/** Distance to the edges of the window, in pixels. */
const MARGIN = 8
/** Distance to the other element, in pixels. */
const GAP = 4

/**
 * Places an element that is fixed to the window below an anchor, or above the anchor if there is too little room, and
 * within the window.
 */
export function placeBelow(box: HTMLElement, anchor: HTMLElement): void {
  const { left, top, bottom, width } = anchor.getBoundingClientRect()
  box.style.minWidth = `${width}px`
  box.style.maxHeight = ''
  const [below, above] = [innerHeight - bottom - GAP - MARGIN, top - GAP - MARGIN]
  const isBelow = box.offsetHeight <= below || below >= above
  box.style.maxHeight = `${isBelow ? below : above}px`
  box.style.top = `${isBelow ? bottom + GAP : top - GAP - box.offsetHeight}px`
  const room = innerWidth - box.offsetWidth - MARGIN
  box.style.left = `${Math.max(MARGIN, Math.min(left, room))}px`
}
