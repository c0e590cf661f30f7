import type { TestRecord } from '../support/records.js'
import { apiCounts, apiCountsOfSupabase } from './api-counts.js'
import { functionGroups, pathGroups, urlGroups } from './groups.js'
import { executionTimes, invocationStats, invocationStatsOfSupabase } from './invocation-stats.js'
import { logsAll } from './logs-all.js'
import { logsExplore } from './logs-explore.js'
import { logsFields } from './logs-fields.js'
import { logsHistogram } from './logs-histogram.js'
import { logsMeasure, measuredNumbers } from './logs-measure.js'

/** A JSON text in an answer, compared as text. */
export interface Json {
  json: string
}

export type PlainRow = Record<string, string | number | boolean | null | Json>
export type Params = Readonly<Record<string, string>>

/** The simplest implementation of an endpoint: record by record, over all records in order of arrival. */
export type Oracle = (records: readonly TestRecord[], params: Params, nowUs: number) => PlainRow[]

const ORACLES: Record<string, Oracle> = {
  'logs.all': logsAll,
  'logs.explore': logsExplore,
  'logs.fields': logsFields,
  'logs.histogram': logsHistogram,
  'logs.measure': logsMeasure,
  'functions.invocation-stats': invocationStats,
  'usage.api-counts': apiCounts,
  'supabase: functions.invocation-stats': invocationStatsOfSupabase,
  'supabase: usage.api-counts': apiCountsOfSupabase,
  'test.functions': functionGroups,
  'test.urls': urlGroups,
  'test.paths': pathGroups,
}

/**
 * Like {@link oracle}, for a caller bound to the named project: over the records of the project alone. The name is no
 * pattern.
 */
export function boundOracle(endpoint: string, records: readonly TestRecord[], params: Params, nowUs: number) {
  const own = records.filter(({ project }) => project === params.project)
  const isPattern = endpoint.endsWith('usage.api-counts')
  const project = isPattern ? params.project!.replace(/[^A-Za-z0-9]/g, '\\$&') : params.project!
  return oracle(endpoint, isPattern ? own : records, { ...params, project, name: params.project! }, nowUs)
}

/** Returns the answer of an endpoint at `nowUs` by the contract. The parameters must be valid. */
export function oracle(endpoint: string, records: readonly TestRecord[], params: Params, nowUs: number): PlainRow[] {
  return ORACLES[endpoint]!(records, params, nowUs)
}

/**
 * Returns the numbers behind each row of an answer with percentiles, ascending, by the row's timestamp. Undefined if
 * the answer has no percentiles.
 */
export function numbersBehind(
  endpoint: string,
  records: readonly TestRecord[],
  params: Params,
  nowUs: number,
): ReadonlyMap<number, readonly number[]> | undefined {
  if (endpoint === 'logs.measure') return measuredNumbers(records, params, nowUs)
  return endpoint.endsWith('functions.invocation-stats') ? executionTimes(records, params, nowUs) : undefined
}
