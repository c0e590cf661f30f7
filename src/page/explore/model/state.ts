/**
 * The state of the page. The fragment of the page's URL has the state, so that a link shows the same, but never a
 * token.
 */
import { FILTER_OPERATORS, type FilterOperator } from '../../../common/filter-operators.js'
import { parseExact } from '../../api/api.js'
import type { Filter, FilterEntry } from '../../api/explore.js'
import { DEFAULT_RANGE, isoOf, isPreset, type Range, usOf } from '../../shared/range.js'
import { DEFAULT_SOURCE, isNameOfSource } from './sources.js'

/** The views of the page, in the order of their buttons. */
export const VIEW_NAMES = ['explore', 'charts', 'sql', 'alerts', 'api'] as const
/** The name of a view. */
export type ViewName = (typeof VIEW_NAMES)[number]

/** Returns the view after a view, of those that are offered. */
export function viewAfter(view: ViewName, isOffered: (view: ViewName) => boolean): ViewName {
  const offered = VIEW_NAMES.filter(isOffered)
  return offered[(offered.indexOf(view) + 1) % offered.length]
}

/** View, rows and record of the page. */
export interface State {
  view: ViewName
  /** Empty if none is chosen. */
  project: string
  source: string
  range: Range
  filters: readonly FilterEntry[]
  /** Only rows that the source counts as errors. */
  isErrors: boolean
  /** Text that the message contains. Empty: any message. */
  search: string
  /** Cursor of the record that is open, or empty. */
  record: string
  /** The query of the view `sql` that was run or opened last. Empty: no query. */
  sql: string
  /** Name of the endpoint with the open form, or empty if no form is open. */
  endpoint: string
  /** The values in the form of the endpoint that differ from the page's project and range. */
  params: Readonly<Record<string, string>>
}

/** The conditions and the record of a state that has none. */
export const NO_CONDITIONS = { filters: [], isErrors: false, search: '', record: '' } as const

/** A change of the state. `isStep`: the back button returns to the previous state. */
export type Change = (next: Partial<State>, isStep?: boolean) => void

/** Begins the names of an endpoint's parameters in a fragment. No name of the page has a dot. */
const PARAM = 'p.'

/** Returns the state of a URL fragment. A missing or invalid field has the default. */
export function stateOf(fragment: string): State {
  const given = new URLSearchParams(fragment.replace(/^#/, ''))
  const source = given.get('source') ?? ''
  const record = given.get('record') ?? ''
  return {
    view: VIEW_NAMES.find((name) => name === given.get('view')) ?? 'explore',
    project: given.get('project') ?? '',
    source: isNameOfSource(source) ? source : DEFAULT_SOURCE,
    range: rangeOf(given),
    filters: filtersOf(given.get('filter') ?? '[]'),
    isErrors: given.get('errors') === '1',
    search: given.get('search') ?? '',
    record: /^\d+\.\d+$/.test(record) ? record : '',
    sql: given.get('sql') ?? '',
    endpoint: given.get('endpoint') ?? '',
    params: paramsOf(given),
  }
}

/** Whether a URL fragment names rows of a source: by its name, or by conditions or a record, which are of a source. */
export const namesRows = (fragment: string): boolean =>
  ['source', 'filter', 'errors', 'search', 'record'].some((name) =>
    new URLSearchParams(fragment.replace(/^#/, '')).has(name),
  )

function paramsOf(given: URLSearchParams): State['params'] {
  const named = [...given].filter(([name]) => name.startsWith(PARAM))
  return Object.fromEntries(named.map(([name, value]) => [name.slice(PARAM.length), value]))
}

function rangeOf(given: URLSearchParams): Range {
  // `interval` is in links of versions that had no other view than the charts.
  const preset = given.get('range') ?? given.get('interval') ?? ''
  if (isPreset(preset)) return { preset }
  const [fromUs, toUs] = [given.get('from') ?? '', given.get('to') ?? ''].map(usOf) as [number, number]
  if (Number.isNaN(fromUs)) return DEFAULT_RANGE
  return { fromUs, toUs: toUs > fromUs ? toUs : undefined }
}

function filtersOf(text: string): readonly FilterEntry[] {
  try {
    const given = parseExact(text)
    return Array.isArray(given) ? given.filter(isEntry) : []
  } catch {
    return []
  }
}

const isEntry = (given: unknown): given is FilterEntry =>
  Array.isArray(given) ? given.length > 0 && given.every(isFilter) : isFilter(given)

function isFilter(given: unknown): given is Filter {
  if (typeof given !== 'object' || given === null) return false
  const { field, op } = given as Partial<Filter>
  const isName = typeof field === 'string' || (Array.isArray(field) && field.every((key) => typeof key === 'string'))
  return isName && FILTER_OPERATORS.includes(op as FilterOperator)
}

/** Returns the URL fragment of a state, with `#`, or empty if all fields have the default. */
export function fragmentOf(state: State): string {
  const { view, project, source, range, filters, isErrors, search, record, sql, endpoint, params } = state
  const fields: Record<string, string> = {
    view: view === 'explore' ? '' : view,
    project,
    source: source === DEFAULT_SOURCE ? '' : source,
    ...rangeFields(range),
    filter: filters.length === 0 ? '' : JSON.stringify(filters),
    errors: isErrors ? '1' : '',
    search,
    record,
    // In the other views a long text would be in the way.
    sql: view === 'sql' ? sql : '',
  }
  const named = Object.entries(params).map(([name, value]) => [`${PARAM}${name}`, value])
  const ofApi = view === 'api' && endpoint !== '' ? [['endpoint', endpoint], ...named] : []
  const shown = [...Object.entries(fields).filter(([, value]) => value !== ''), ...ofApi] as [string, string][]
  return shown.length === 0 ? '' : `#${new URLSearchParams(shown)}`
}

function rangeFields(range: Range): Record<string, string> {
  if ('preset' in range) return { range: JSON.stringify(range) === JSON.stringify(DEFAULT_RANGE) ? '' : range.preset }
  return { from: isoOf(range.fromUs), to: range.toUs === undefined ? '' : isoOf(range.toUs) }
}
