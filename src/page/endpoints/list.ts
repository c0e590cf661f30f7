/** The list of endpoints. A single endpoint can be open. */
import type { Endpoint } from '../api/endpoints.js'
import { element } from '../shared/dom.js'

/** The list. An empty name means the other paths. */
export interface List {
  readonly root: HTMLElement
  show(endpoints: readonly Endpoint[]): void
  /** Marks the endpoint that is open. */
  mark(name: string): void
}

/** Creates the list: the owner's endpoints first. `onChoose` is called with a name. */
export function createList(onChoose: (name: string) => void): List {
  const root = element('nav', { class: 'api-list', 'aria-label': 'Endpoints' })
  let buttons: readonly HTMLButtonElement[] = []

  function buttonOf(name: string, title: string, summary: string): HTMLElement {
    const text = [element('span', { class: 'name' }, title), element('span', { class: 'fine' }, summary)]
    const button = element('button', { type: 'button', 'data-name': name }, ...text)
    button.addEventListener('click', () => onChoose(name))
    return element('li', {}, button)
  }

  function groupOf(title: string, items: readonly HTMLElement[]): readonly HTMLElement[] {
    return items.length === 0 ? [] : [element('h2', {}, title), element('ul', {}, ...items)]
  }

  return {
    root,
    show(endpoints) {
      const [own, builtIn] = [true, false].map((isOwn) =>
        endpoints.filter((one) => one.isOwn === isOwn).map(({ name, summary }) => buttonOf(name, name, summary)),
      )
      const others = [buttonOf('', 'Paths and errors', 'Sending records, live tail, metrics, and what errors mean')]
      root.replaceChildren(
        ...groupOf('Your own endpoints', own!),
        ...groupOf('Endpoints', builtIn!),
        ...groupOf('Reference', others),
      )
      buttons = [...root.querySelectorAll('button')]
    },
    mark(name) {
      for (const button of buttons)
        if (button.dataset.name === name) button.setAttribute('aria-current', 'true')
        else button.removeAttribute('aria-current')
    },
  }
}
