import { OWN_SOURCE } from '../support/own-source.js'
import type { TestRecord } from '../support/records.js'
import type { SqlCase } from './cases/case.js'

const MODEL = 'edge_logs'
const named = (text: string) => text.replaceAll(new RegExp(`\\b${MODEL}\\b`, 'g'), OWN_SOURCE)
const hasModel = (text: string) => new RegExp(MODEL, 'i').test(text)

/**
 * Returns the cases that read edge_logs and have rows, of an own source with the same records: a declared field has the
 * values that the metadata has. Cases whose records or rows have the name, or that spell the name in another way, are
 * left out.
 */
export const ownSourceCases = (cases: readonly SqlCase[]): SqlCase[] =>
  cases
    .map((one) => ({ ...one, name: `${one.name}, of ${OWN_SOURCE}`, sql: named(one.sql), records: ofOwn(one.records) }))
    .filter(({ sql }, i) => sql !== cases[i]!.sql)
    .filter(({ sql, rows = [MODEL], records }) => {
      return ![sql, ...rows, ...records.map(({ metadata }) => metadata)].some(hasModel)
    })

/** Returns the records, those of edge_logs as records of an own source. */
export const ofOwn = (records: readonly TestRecord[]): TestRecord[] =>
  records.map((record) => (record.source === MODEL ? { ...record, source: OWN_SOURCE } : record))
