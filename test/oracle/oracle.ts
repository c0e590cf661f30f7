import type { TestRecord } from '../support/records.js'
import { apiCounts } from './api-counts.js'
import { invocationStats } from './invocation-stats.js'
import { logsAll } from './logs-all.js'

/** A JSON text within an answer, compared letter by letter. */
export interface Json {
  json: string
}

export type PlainRow = Record<string, string | number | null | Json>
export type Params = Readonly<Record<string, string>>

/** An endpoint done the naive way: over all records in order of arrival, one at a time. */
export type Oracle = (records: readonly TestRecord[], params: Params, nowUs: number) => PlainRow[]

const ORACLES: Record<string, Oracle> = {
  'logs.all': logsAll,
  'functions.invocation-stats': invocationStats,
  'usage.api-counts': apiCounts,
}

/** The rows that the contract says an endpoint answers at `nowUs`; the parameters are valid. */
export function oracle(endpoint: string, records: readonly TestRecord[], params: Params, nowUs: number): PlainRow[] {
  return ORACLES[endpoint]!(records, params, nowUs)
}
