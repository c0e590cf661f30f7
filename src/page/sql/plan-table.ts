/** The plan of a query, as returned by EXPLAIN. */
import { numberOf, type Row } from '../api/api.js'
import type { Cost } from '../api/cost.js'
import { element } from '../shared/dom.js'
import { count } from '../shared/format.js'
import { workText } from '../shared/work-text.js'

/** A step of a plan: an operator, its description, and the number of returned rows. */
interface Step {
  step: number
  operator: string
  detail: string
  rows: number
}

/** Reads the rows of EXPLAIN. */
const stepsOf = (rows: readonly Row[]): Step[] =>
  rows.map(({ step, operator, detail, rows: size }) => ({
    step: numberOf(step) ?? 0,
    operator: String(operator),
    detail: String(detail),
    rows: numberOf(size) ?? 0,
  }))

/** Returns the elements that show a plan, given the rows of EXPLAIN and their cost. */
export function planOf(rows: readonly Row[], cost: Cost): HTMLElement[] {
  const size = `${rows.length} ${rows.length === 1 ? 'step' : 'steps'}`
  const texts = [size, workText(cost)].filter((text) => text !== '')
  const note = 'Each step reads what the one before returns; steps of a union or a subquery come before theirs.'
  const scroll = { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'Steps of the query' }
  return [
    element('p', { class: 'answer-size', role: 'status' }, texts.join(' · ')),
    element('p', { class: 'fine' }, note),
    element('div', scroll, planTable(stepsOf(rows))),
  ]
}

/**
 * Creates a table of the steps in order. A bar shows the rows of a step in relation to the step with the most.
 */
function planTable(steps: readonly Step[]): HTMLTableElement {
  const most = Math.max(1, ...steps.map(({ rows }) => rows))
  const heads = ['Step', 'Operator', 'What it does', 'Rows'].map((name) => element('th', { scope: 'col' }, name))
  const body = element('tbody', {}, ...steps.map((step) => rowOf(step, most)))
  return element('table', { class: 'plan' }, element('thead', {}, element('tr', {}, ...heads)), body)
}

function rowOf({ step, operator, detail, rows }: Step, most: number): HTMLTableRowElement {
  const bar = element('i', { class: 'plan-bar', 'aria-hidden': 'true' })
  bar.style.width = `${(100 * rows) / most}%`
  return element(
    'tr',
    {},
    element('td', {}, String(step)),
    element('td', {}, element('b', {}, operator)),
    element('td', { class: 'plan-detail' }, detail),
    element('td', { class: 'plan-rows' }, count(rows), bar),
  )
}
