/** Texts next to the list: the number of rows, the cost of the queries, and the reason if there are no rows. */
import type { Failure } from '../api/api.js'
import type { Cost } from '../api/cost.js'
import type { ProjectRow } from '../api/explore.js'
import { byId, element } from '../shared/dom.js'
import { count } from '../shared/format.js'
import { PRESETS, type Range } from '../shared/range.js'
import { timestamp, zoneName } from '../shared/times.js'
import { workText } from '../shared/work-text.js'
import { filterText, withoutFilter } from './filters.js'
import type { Parts } from './parts.js'
import { sourceNamed } from './sources.js'
import type { State } from './state.js'

/** Shows a text in place of the list, with buttons. No text if the list has rows. */
export function showListState(
  parts: Parts,
  kind: 'rows' | 'loading' | 'stale' | 'empty' | 'failed',
  ...content: Node[]
): void {
  const state = byId('list-state')
  byId('list').dataset.state = kind
  byId('list').setAttribute('aria-busy', String(kind === 'loading'))
  state.hidden = content.length === 0
  state.classList.toggle('error', kind === 'failed')
  state.replaceChildren(...content)
  showStatus(parts)
}

/** Shows how many rows the list has, whether the list follows new rows, and the cost of the queries. */
export function showStatus({ store, isComplete, isLoadingOlder, live, costs, unseen, stale }: Parts): void {
  const size = store.rows.length
  const older = isLoadingOlder ? 'loading older ones …' : 'scroll for older ones'
  const room = store.isFull ? 'no room for older ones: choose an earlier time range' : older
  const all = size === 0 ? '' : 'all'
  const more = isComplete ? all : room
  const loaded = `${count(size)} ${size === 1 ? 'row' : 'rows'}`
  const isLoading = byId('list').dataset.state === 'loading'
  const texts = isLoading ? ['Loading …'] : stale === '' ? [loaded, more, live?.text ?? ''] : [stale]
  byId('list-size').textContent = texts.filter((text) => text !== '').join(' · ')
  byId('cost').textContent = [...costs].map(([name, cost]) => costText(name, cost)).join(' · ')
  byId('unseen').hidden = unseen === 0
  byId('unseen').textContent = `↑ ${count(unseen)} new`
}

/** Returns the cost of a query as a text: `list: 1,200 rows read, 3.1 ms`. */
export const costText = (name: string, cost: Cost): string => `${name}: ${workText(cost)}`

/** Shows a failure in place of the list. */
export function showFailure(parts: Parts, failure: Failure, retry: () => void): void {
  const again = buttonOf(failure.retryS === undefined ? 'Try again' : 'Try again now', retry)
  const text = failure.retryS === undefined ? '' : ' Trying again by itself.'
  showListState(parts, 'failed', paragraph(failure.message + text), again)
}

/** Shows why there are no rows, with buttons to change conditions, range or source. */
export function showEmpty(parts: Parts): void {
  const { state, host } = parts
  const conditions = removals(parts)
  const known = host.projects()?.filter(({ project }) => project === state.project)
  // No condition is to blame if the project has no row at all.
  if (conditions.length > 0 && known?.length !== 0) {
    const these = conditions.length === 1 ? 'this condition' : 'these conditions'
    const text = `No row of ${state.source} matches ${these} in ${rangeText(state.range)}.`
    showListState(parts, 'empty', paragraph(text), element('div', { class: 'choices' }, ...conditions))
    return
  }
  showListState(parts, 'empty', ...missingText(parts, known))
}

/** Returns what to say of a project without rows. */
export const noRowsText = (project: string): string =>
  `No row of project “${project}” is stored. Check the project’s name, or send its logs.`

function missingText({ state, host }: Parts, known: readonly ProjectRow[] | undefined): Node[] {
  const range = rangeText(state.range)
  if (known === undefined) return [paragraph(`No row of ${state.source} in ${range}.`)]
  const here = known.find(({ source }) => source === state.source)
  if (here !== undefined && here.rows > 0) {
    const newest = `${timestamp(here.newest)} ${zoneName()}`
    const go = buttonOf('Go to the newest row', () =>
      host.change({ range: rangeAround(here.newest), record: '' }, true),
    )
    return [
      paragraph(`No row of ${state.source} in ${range}. The newest of its ${count(here.rows)} rows is of ${newest}.`),
      go,
    ]
  }
  if (known.length === 0) return [paragraph(noRowsText(state.project))]
  const others = known.map(({ source, rows }) =>
    buttonOf(`${source} (${count(rows)})`, () =>
      host.change({ source, filters: [], isErrors: false, record: '' }, true),
    ),
  )
  const text = `No row of ${state.source} is stored for this project. It has rows of:`
  return [paragraph(text), element('div', { class: 'choices' }, ...others)]
}

/** An hour that ends right after a time. */
const rangeAround = (us: number): Range => ({ fromUs: us - 3_600e6, toUs: us + 1 })

function removals({ state, host }: Parts): HTMLElement[] {
  const remove = (text: string, next: Partial<State>) => buttonOf(`Remove ${text}`, () => host.change(next, true))
  return [
    ...state.filters.map((filter) =>
      remove(filterText(filter), { filters: withoutFilter(state.filters, filter), record: '' }),
    ),
    ...(state.isErrors ? [remove(`“Errors only”: ${errorsText(state)}`, { isErrors: false })] : []),
    ...(state.search === '' ? [] : [remove(`“${state.search}”`, { search: '' })]),
  ]
}

const errorsText = ({ source }: State) => sourceNamed(source).errors.text

/** Returns a range in words: `the last hour`, `the range from … to …`. */
export function rangeText(range: Range): string {
  if ('preset' in range) return `the last ${PRESETS[range.preset].label}`
  const from = timestamp(range.fromUs)
  return range.toUs === undefined ? `the time since ${from}` : `the range from ${from} to ${timestamp(range.toUs)}`
}

const paragraph = (text: string) => element('p', {}, text)

function buttonOf(text: string, act: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, text)
  made.addEventListener('click', act)
  return made
}
