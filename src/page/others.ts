/** Tables of the endpoints without a chart: user endpoints that require no parameter but the project. */
import { type Answer, get, queryRows, type Row } from './api.js'
import { byId, element } from './dom.js'
import { ago } from './format.js'
import { tableOf } from './table.js'
import type { View } from './view.js'

const CHARTED = ['logs.all', 'functions.invocation-stats', 'usage.api-counts']
/** Maximum of rows in one of these tables, which are for an overview. */
const MAX_ROWS = 100

interface Definition {
  name: string
  parameters: readonly { name: string; required: boolean }[]
}

/** Returns whether an endpoint has no chart, has the parameter `project`, and requires no other. */
const isShown = ({ name, parameters }: Definition) =>
  !CHARTED.includes(name) &&
  parameters.some((parameter) => parameter.name === 'project') &&
  parameters.every((parameter) => parameter.name === 'project' || !parameter.required)

/** Queries the list of endpoints, then each of them. The table of one that fails shows its error. */
export async function loadOthers({ project }: View, fresh: boolean, signal: AbortSignal): Promise<void> {
  const { result } = (await (await get('api/endpoints', {}, signal)).json()) as { result: Definition[] }
  const cards = result.filter(isShown).map(async ({ name }) => {
    const answer = await queryRows(name, { project }, { fresh, signal }).catch((error: Error) => error)
    return cardOf(name, answer)
  })
  const elements = await Promise.all(cards)
  if (!signal.aborted) byId('others').replaceChildren(...elements)
}

function cardOf(name: string, answer: Answer | Error): HTMLElement {
  const title = element('h2', {}, name)
  if (answer instanceof Error) return card(name, title, element('p', { class: 'error' }, answer.message))
  const { rows, ageS } = answer
  const window = element('p', { class: 'window' }, `${describe(rows)} · ${ago(ageS)}`)
  const head = element('header', {}, title, window)
  return rows.length === 0 ? card(name, head) : card(name, head, scrollOf(name, rows))
}

const card = (name: string, ...children: HTMLElement[]) =>
  element('section', { class: 'card panel', 'aria-label': name, 'data-endpoint': name }, ...children)

function describe(rows: readonly Row[]): string {
  if (rows.length === 0) return 'no rows'
  return rows.length > MAX_ROWS ? `the first ${MAX_ROWS} of ${rows.length} rows` : `${rows.length} rows`
}

function scrollOf(name: string, rows: readonly Row[]): HTMLElement {
  const names = Object.keys(rows[0]!)
  const cells = rows.slice(0, MAX_ROWS).map((row) => names.map((column) => textOf(row[column])))
  return element('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': name }, tableOf(names, cells))
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
