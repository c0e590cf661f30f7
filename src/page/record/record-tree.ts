/**
 * The fields of a record as a tree, with the keys of the ARIA tree pattern: a single item is in the tab order. The item
 * under the pointer has buttons. Keys do the same for the item that has the focus.
 */
import { element } from '../shared/dom.js'
import type { Step } from './field-path.js'
import { createButtons, type ItemActions } from './record-actions.js'
import { createItem, createMoreItem, type Highlight, type Item, isBranch, isFolded } from './record-item.js'
import { membersOf } from './record-value.js'

/** Members of an object or list that are shown at first, and at each further demand. */
const MEMBERS = 100
/**
 * Unfolded at first: objects and lists of the top level, and objects and lists of at most `FEW_MEMBERS` members in the
 * next levels up to `LEVELS`, as long as the tree has fewer than `ITEMS` items.
 */
const [FEW_MEMBERS, LEVELS, ITEMS] = [8, 4, 300]
/** Items up to which more are unfolded at once. */
const MAX_ITEMS = 2_000

/** A tree of fields. */
export interface Tree {
  readonly root: HTMLElement
  /** Unfolds everything. Returns false if that is more than a page can show, so that a part stays folded. */
  unfoldAll(): boolean
  foldAll(): void
}

/** A tree with its items, by their lines. */
interface State {
  root: HTMLUListElement
  items: Map<Element, Item>
  highlight: Highlight
  /** The item in the tab order, if any. */
  current: Item | undefined
}

/** Creates the tree of names and values. */
export function createTree(members: readonly [Step, unknown][], highlight: Highlight, actions: ItemActions): Tree {
  const root = element('ul', { role: 'tree', class: 'tree', 'aria-label': 'Fields' })
  const state: State = { root, items: new Map(), highlight, current: undefined }
  addMembers(state, root, members, [])
  setCurrent(state, state.items.values().next().value)
  listenToKeys(state, actions)
  listenToPointer(state, actions)
  return {
    root,
    unfoldAll: () => unfoldAll(state),
    foldAll() {
      for (const item of state.items.values()) if (isBranch(item)) setFolded(state, item, true)
      if (state.current?.root.closest('[hidden]')) setCurrent(state, state.items.values().next().value)
    },
  }
}

/** Adds the members that follow the members in the group. */
function addMembers(
  state: State,
  group: HTMLUListElement,
  all: readonly [Step, unknown][],
  parents: readonly Step[],
): void {
  const from = group.children.length
  const until = Math.min(from + MEMBERS, all.length)
  for (let at = from; at < until; at++) {
    const [step, value] = all[at]
    const item = createItem([...parents, step], value, { at, of: all.length }, state.highlight)
    add(state, group, item)
    if (state.items.size < ITEMS && isUnfoldedFirst(item)) setFolded(state, item, false)
  }
  if (until === all.length) return
  const more = createMoreItem(parents, `Show more, ${all.length - until} are left`, () => {
    state.items.delete(more.line)
    more.root.remove()
    addMembers(state, group, all, parents)
    focus(state, itemOf(state, group.children[until].firstElementChild))
  })
  add(state, group, more)
}

/** An element of a list is on the level of the list, since a list of a single object is as common as the object. */
function isUnfoldedFirst(item: Item): boolean {
  if (!isBranch(item)) return false
  const level = item.steps.filter((step) => typeof step === 'string').length
  return level <= 1 || (level <= LEVELS && membersOf(item.value).length <= FEW_MEMBERS)
}

function add({ items }: State, group: HTMLUListElement, item: Item): void {
  items.set(item.line, item)
  group.append(item.root)
}

/** Groups so far, which are numbered for their ids. */
let groups = 0

function setFolded(state: State, item: Item, isFolded: boolean): void {
  item.line.setAttribute('aria-expanded', String(!isFolded))
  if (item.group === undefined && !isFolded) {
    item.group = element('ul', { role: 'group', id: `record-group-${++groups}` })
    item.line.setAttribute('aria-owns', item.group.id)
    item.root.append(item.group)
    addMembers(state, item.group, membersOf(item.value), item.steps)
  }
  if (item.group !== undefined) item.group.hidden = isFolded
}

function unfoldAll(state: State): boolean {
  // The items that are added are visited too.
  for (const item of state.items.values()) {
    if (state.items.size > MAX_ITEMS) return false
    if (isBranch(item)) setFolded(state, item, false)
  }
  return true
}

function choose(state: State, item: Item): void {
  if (item.showMore !== undefined) item.showMore()
  else if (isBranch(item)) setFolded(state, item, !isFolded(item))
}

function setCurrent(state: State, item: Item | undefined): void {
  state.current?.line.setAttribute('tabindex', '-1')
  state.current = item
  item?.line.setAttribute('tabindex', '0')
}

function focus(state: State, item: Item | undefined): void {
  if (item === undefined) return
  setCurrent(state, item)
  item.line.focus()
}

/** Moves the focus by lines, at most to the first or the last line. */
function step(state: State, from: Item, by: number): void {
  const shown = [...state.root.querySelectorAll('[role=treeitem]')].filter(
    (found) => found.closest('[hidden]') === null,
  )
  const at = Math.min(Math.max(shown.indexOf(from.line) + by, 0), shown.length - 1)
  focus(state, state.items.get(shown[at]))
}

/** Returns the item of the line that contains an element, if any. */
function itemOf({ items }: State, target: EventTarget | null): Item | undefined {
  const line = target instanceof Element ? target.closest('[role=treeitem]') : null
  return line === null ? undefined : items.get(line)
}

const parentOf = (state: State, { root }: Item) =>
  itemOf(state, root.parentElement!.closest('li')?.firstElementChild ?? null)

function listenToKeys(state: State, { keep, exclude, copy, isFilterable }: ItemActions): void {
  const filter = (act: (item: Item) => void) => (item: Item) => {
    if (isFilterable(item)) act(item)
  }
  const keys: Readonly<Record<string, (item: Item) => void>> = {
    ArrowDown: (item) => step(state, item, 1),
    ArrowUp: (item) => step(state, item, -1),
    Home: (item) => step(state, item, Number.NEGATIVE_INFINITY),
    End: (item) => step(state, item, Number.POSITIVE_INFINITY),
    ArrowRight(item) {
      if (isFolded(item)) setFolded(state, item, false)
      else if (isBranch(item)) step(state, item, 1)
    },
    ArrowLeft(item) {
      if (isBranch(item) && !isFolded(item)) setFolded(state, item, true)
      else focus(state, parentOf(state, item))
    },
    Enter: (item) => choose(state, item),
    ' ': (item) => choose(state, item),
    '+': filter(keep),
    '-': filter(exclude),
    c: copy,
  }
  state.root.addEventListener('keydown', (event) => {
    // Buttons in an item have keys of their own.
    const item = state.items.get(event.target as Element)
    if (item === undefined || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return
    event.preventDefault()
    keys[event.key](item)
  })
}

/** Folds by clicks, and shows the buttons of the item under the pointer, or of the touched item. */
function listenToPointer(state: State, actions: ItemActions): void {
  const { root } = state
  const buttons = createButtons(actions)
  root.addEventListener('click', ({ target }) => {
    const item = itemOf(state, target)
    // A click at the end of selecting a text is none.
    if (item === undefined || (target as Element).closest('button') || getSelection()?.isCollapsed === false) return
    buttons.show(item)
    focus(state, item)
    choose(state, item)
  })
  root.addEventListener('pointerover', ({ target }) => {
    const item = itemOf(state, target)
    if (item !== undefined) buttons.show(item)
  })
  root.addEventListener('pointerleave', ({ pointerType }) => {
    // A finger leaves when it is lifted.
    if (pointerType === 'mouse') buttons.hide()
  })
  root.addEventListener('focusin', ({ target }) => setCurrent(state, itemOf(state, target)))
}
