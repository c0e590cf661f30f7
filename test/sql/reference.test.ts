import { afterAll, describe, expect, it } from 'vitest'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { appendAll, openEngine } from '../support/engine.js'
import type { TestRecord } from '../support/records.js'
import { answerOf, expectCase, projectOf } from './answer.js'
import type { SqlCase } from './cases/case.js'
import { FIELD_CASES, LITERAL_CASES, REFERENCE_CASES } from './reference/cases.js'
import { PAGES } from './reference/sources.js'

/** Each list of records has a separate engine. */
const engines = new Map<readonly TestRecord[], Promise<ArrowEngine>>()

async function filled(records: readonly TestRecord[]): Promise<ArrowEngine> {
  const engine = openEngine()
  await appendAll(engine, records)
  return engine
}

function engineOf(records: readonly TestRecord[]): Promise<ArrowEngine> {
  const engine = engines.get(records) ?? filled(records)
  engines.set(records, engine)
  return engine
}

async function expectAnswer(one: SqlCase): Promise<void> {
  const answer = await answerOf(await engineOf(one.records), one, projectOf(one))
  if (one.error === undefined) return expectCase(one, answer)
  expect(answer, one.sql).toHaveProperty('error.code', one.error.code)
}

afterAll(async () => {
  for (const engine of engines.values()) await (await engine).close()
})

describe('the reference', () => {
  it.each(LITERAL_CASES.map((one) => [one.name, one] as const))('%s', async (_, one) => expectAnswer(one))
})

describe('the reference, with fields in place of literals', () => {
  it.each(FIELD_CASES.map((one) => [one.name, one] as const))('%s', async (_, one) => expectAnswer(one))
})

describe('the tables of the reference', () => {
  it('have at least 1,000 cases, each once and with a source', () => {
    expect(REFERENCE_CASES.length).toBeGreaterThanOrEqual(1000)
    const unknown = REFERENCE_CASES.filter(({ source }) => !Object.hasOwn(PAGES, source.split('#')[0]!))
    expect(unknown.map(({ place, source }) => `${place}: ${source}`)).toEqual([])
    const keys = REFERENCE_CASES.map(({ sql, table = [] }) => `${sql} ${table.join()}`)
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([])
  })
})
