import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './program.js'

/** An endpoint `own.worst`. The parameter `plan` names one of the plans that take the most time and memory. */
const MODULE = `
import { endpoint, sql, text, word } from 'logweir/endpoint'

const column = (name) => ({ kind: 'column', name })
const literal = (value) => ({ kind: 'literal', value })
const call = (fn, ...args) => ({ kind: 'call', fn, args })
const scan = { op: 'scan', sources: ['edge_logs'], fromUs: -Infinity, throughUs: Infinity }
const named = (columns) => Object.entries(columns).map(([name, value]) => ({ name, value }))
const group = (keys, aggregates) => ({ op: 'group', keys: named(keys), aggregates: named(aggregates) })
const aggregate = (fn, ...args) => ({ fn, args })
const select = (columns) => ({ op: 'select', columns: named(columns) })
const orderBy = (by) => ({ op: 'orderBy', keys: [{ by, direction: 'asc', nulls: 'last' }] })
const url = column('url')
const count = aggregate('count')
const distinct = (value) => aggregate('count_distinct', value)
const lists = { list: aggregate('array_agg', url), text: aggregate('string_agg', url) }
const never = (text) => call('regexp_contains', text, literal('[^x]*(a|b|c)+[^y]*z9$'))
const joined = call('concat', url, column('event_message'))
const field = (...keys) => call('field', column('metadata'), ...keys.map(literal))
const slow = call('regexp_replace', joined, literal('[a-z]+'), literal('yy'))

const PLANS = {
  keys: [scan, group({ url, project: column('project'), time: column('timestamp') }, { count })],
  distinct: [scan, group({ project: column('project') }, { urls: distinct(url) })],
  distincts: [scan, group({}, { urls: distinct(url), times: distinct(column('timestamp')) })],
  lists: [scan, group({ project: column('project') }, lists)],
  sort: [scan, select({ url, time: column('timestamp') }), orderBy(url)],
  unnest: [
    scan,
    { op: 'unnest', list: call('split', url, literal('/')), name: 'part', isOuter: false },
    group({ part: call('lower', column('part')) }, { count }),
  ],
  patterns: [scan, { op: 'filter', where: never(slow) }, group({}, { count })],
  fields: [scan, group({ request: field('request'), host: field('request', 'headers', 'host') }, { count })],
  texts: [scan, { op: 'filter', where: never(field('request', 'headers', 'host')) }, group({}, { count })],
  messages: [scan, { op: 'filter', where: never(column('event_message')) }, group({}, { count })],
  newest: [
    scan,
    { op: 'filter', where: call('eq', field('request', 'none'), literal('x')) },
    { op: 'orderBy', keys: [{ by: column('timestamp'), direction: 'desc', nulls: 'last' }] },
    { op: 'limit', rows: 10, offset: 0 },
    select({ request: field('request') }),
  ],
  union: [
    { op: 'union', plans: ['a', 'b'].map((text) => [scan, select({ url: call('concat', url, literal(text)) })]) },
    group({}, { urls: distinct(url) }),
  ],
}

export default endpoint({
  id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a0a',
  name: 'own.worst',
  maxRows: 10,
  cache: 'disabled',
  params: { project: text('any'), plan: word(PLANS, 'keys') },
  query: sql\`select 1\`,
  plan: ({ plan }) => PLANS[plan],
})
`

/** The plans of the endpoint, by their names. */
export const WORST_PLANS = [
  'keys',
  'distinct',
  'distincts',
  'lists',
  'sort',
  'unnest',
  'patterns',
  'union',
  'fields',
  'texts',
  'messages',
  'newest',
] as const

/** The name of one of the worst plans. */
export type WorstPlan = (typeof WORST_PLANS)[number]

/** The path of a query that runs one of the worst plans. */
export const worstQuery = (plan: WorstPlan): string => `/api/endpoints/query/own.worst?project=any&plan=${plan}`

/** Writes the module of the endpoint into a folder for `--endpoints`. */
export function worstPlansFolder(): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'worst.mjs'), MODULE)
  return folder
}
