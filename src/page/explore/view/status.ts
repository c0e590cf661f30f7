/** Texts next to the list: the number of rows, the cost of the queries, and the reason if there are no rows. */
import type { Failure } from '../../api/api.js'
import type { Cost } from '../../api/cost.js'
import { buttonOf, byId } from '../../shared/dom.js'
import { count } from '../../shared/format.js'
import { workText } from '../../shared/work-text.js'
import type { Send } from '../model/message.js'
import { type Draw, isFull, listKindOf, type Model } from '../model/model.js'
import { emptyList, paragraph } from './empty-list.js'

/** Returns the function that draws the texts. */
export const createStatus =
  (send: Send): Draw =>
  (model, before) => {
    if (before === undefined || isOther(model, before)) drawList(model, send)
    say('list-size', sizeText(model))
    say('cost', Object.entries(model.costs).map(costText).join(' · '))
    byId('unseen').hidden = model.unseen === 0
    say('unseen', `↑ ${count(model.unseen)} new`)
  }

/** Changes a text, if the text differs: screen readers read each change. */
function say(id: string, text: string): void {
  if (byId(id).textContent !== text) byId(id).textContent = text
}

/** Whether the reason for an empty list may differ. Buttons that stay the same keep the focus. */
const isOther = (model: Model, before: Model) =>
  listKindOf(model) !== listKindOf(before) ||
  model.asked !== before.asked ||
  model.projects !== before.projects ||
  model.failure !== before.failure

/** Shows a text in place of the list, with buttons. No text if the list has rows. */
function drawList(model: Model, send: Send): void {
  const [kind, state, list] = [listKindOf(model), byId('list-state'), byId('list')]
  const content =
    kind === 'empty' ? emptyList(model, send) : kind === 'failed' ? failureOf(model.failure!.failure, send) : []
  list.dataset.state = kind
  list.setAttribute('aria-busy', String(kind === 'loading'))
  state.hidden = content.length === 0
  state.classList.toggle('error', kind === 'failed')
  state.replaceChildren(...content)
}

function failureOf({ message, retryS }: Failure, send: Send): Node[] {
  const again = () => send({ kind: 'loadRetried' })
  if (retryS === undefined) return [paragraph(message), buttonOf('Try again', again)]
  return [paragraph(`${message} Trying again by itself.`), buttonOf('Try again now', again)]
}

function sizeText(model: Model): string {
  const { rows, isComplete, isLoadingOlder, live, stale } = model
  if (listKindOf(model) === 'loading') return 'Loading …'
  if (stale !== '') return stale
  const size = rows.length
  const older = isLoadingOlder ? 'loading older ones …' : 'scroll for older ones'
  const room = isFull(model) ? 'no room for older ones: choose an earlier time range' : older
  const all = size === 0 ? '' : 'all'
  const loaded = `${count(size)} ${size === 1 ? 'row' : 'rows'}`
  return [loaded, isComplete ? all : room, live?.text ?? ''].filter((text) => text !== '').join(' · ')
}

/** Returns the cost of a query as a text: `list: 1,200 rows read, 3.1 ms`. */
const costText = ([name, cost]: [name: string, Cost]): string => `${name}: ${workText(cost)}`
