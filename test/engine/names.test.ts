import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AWKWARD_NAMES } from '../cases/case.js'
import { NOW_US } from '../ingest/parsing.js'
import { type Json, oracle, type Params } from '../oracle/oracle.js'
import { edge, invocation, type TestRecord } from '../support/records.js'
import { runs } from '../support/runs.js'
import { STATES, type Taken } from '../support/states.js'

/** A busy machine takes many times as long as usual. */
const TIMEOUT_MS = 60_000

/** Longer than a URL may be, so that the name is stored but not queried. Two names differ only in the last letter. */
const LONG = 'n'.repeat(65_535)
const NAMES = [
  ...AWKWARD_NAMES,
  '',
  "'; --",
  '||',
  '"',
  'valueOf',
  'prototype',
  '__defineGetter__',
  `${LONG}a`,
  `${LONG}b`,
]
const RUNS = runs(20)

const lineOf = ({ source, id, timestampUs, project, event_message, metadata }: TestRecord) => {
  const head = JSON.stringify({ source, id, timestamp: timestampUs, project, event_message })
  return `${head.slice(0, -1)},"metadata":${metadata}}\n`
}

const texts = (name: string) => JSON.stringify(name)

/** Returns records with each name as a project, a function, a URL, and a key at each level of the metadata. */
function recordsOf(names: readonly string[]): TestRecord[] {
  return names.flatMap((name, i) => {
    const nested = `{${texts(name)}:{${texts(name)}:${i}}}`
    const request = `"request":{"url":${texts(name)},"path":"/rest",${texts(name)}:${i}}`
    return [
      edge({ id: name, timestampUs: NOW_US - i, project: name, metadata: `{${request},"more":${nested}}` }),
      edge({ id: `key ${i}`, timestampUs: NOW_US - i, project: 'keys', metadata: nested }),
      invocation({ timestampUs: NOW_US, project: name, metadata: `{"execution_time_ms":${i},"x":${nested}}` }),
      invocation({
        timestampUs: NOW_US,
        project: 'functions',
        metadata: `{"function_id":${texts(name)},"execution_time_ms":${i}}`,
      }),
    ]
  })
}

const METACHARACTER = /[\\^$.|?*+()[\]{}]/g

/** Returns the queries for a name. No answer may contain another name. */
function questionsOf(name: string): [string, Params][] {
  if (name === '') return []
  const pattern = `^${name.replace(METACHARACTER, '\\$&')}$`
  return [
    ['logs.all', { project: name }],
    ['functions.invocation-stats', { project: name }],
    ['functions.invocation-stats', { project: 'functions', function_id: name }],
    ['usage.api-counts', { project: pattern, interval: 'minutely' }],
  ]
}

const COUNTERS = ['count', 'total_rest_requests'] as const

/**
 * Compares the JSON of the service with the oracle's rows, as values, but metadata as text. Node 24's JSON.parse reads
 * `"\\n"` as another key after `"a"` at the same place.
 */
async function expectAsOracle(taken: Taken, records: readonly TestRecord[], endpoint: string, params: Params) {
  let body = await taken.ask(endpoint, params)
  const wanted = oracle(endpoint, records, params, NOW_US).map((row) => {
    if (row.metadata === undefined) return row
    const { json } = row.metadata as Json
    expect(body).toContain(`"metadata":${json}`)
    body = body.replace(json, () => 'true')
    return { ...row, metadata: true }
  })
  const found = JSON.parse(body).result
  expect(found).toEqual(wanted)
  for (const counter of COUNTERS) if (found[0]?.[counter] !== undefined) expect(found[0][counter]).toBe(1)
  expect(found).toHaveLength(1)
}

const ownKeys = () => [Object.prototype, Array.prototype, Map.prototype].map((object) => Reflect.ownKeys(object))

describe.each(STATES)('I4: names, in $name', { timeout: TIMEOUT_MS }, ({ take }) => {
  it('I4: each is itself and no other, as project, function, URL and key', async () => {
    const before = ownKeys()
    const records = recordsOf(NAMES)
    const taken = await take(records.map(lineOf).join(''))
    expect(taken.rejects).toEqual([])
    for (const name of NAMES.filter((name) => name.length < 10_000)) {
      for (const [endpoint, params] of questionsOf(name)) await expectAsOracle(taken, records, endpoint, params)
    }
    const body = await taken.ask('logs.all', { project: 'keys' })
    for (const { project, metadata } of records) if (project === 'keys') expect(body).toContain(metadata)
    await taken.close()
    expect(ownKeys()).toEqual(before)
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it('I4: leave the prototype of all objects alone as keys of a record', async () => {
    const poison = ['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}', '[{"__proto__":{"x":1}}]']
    const lines = poison.flatMap((json) => [
      `{"source":"edge_logs","project":"p","metadata":${json}}`,
      `{"source":"edge_logs","project":"p","__proto__":${json},"constructor":${json},"x":1}`,
      `{"__proto__":{"source":"edge_logs","project":"p"}}`,
    ])
    const taken = await take(lines.join('\n'))
    expect(taken.rejects.map(({ reason }) => reason)).toEqual(poison.map(() => 'missing_source'))
    expect(JSON.parse(await taken.ask('logs.all', { project: 'p' })).result).toHaveLength(6)
    expect(JSON.parse(await taken.ask('functions.invocation-stats', { project: '__proto__' })).result).toEqual([])
    await taken.close()
    expect([({} as { x?: unknown }).x, ([] as { x?: unknown }).x, ((() => {}) as { x?: unknown }).x]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('I4: random ones are told apart', async () => {
    const piece = fc.constantFrom(
      'a',
      'A',
      '|',
      '"',
      "'",
      '\\',
      '_',
      '__proto__',
      'é',
      'e\u0301',
      '😀',
      '\0',
      '\n',
      '%',
      ' ',
    )
    const name = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { minLength: 2, maxLength: 12 }), async (names) => {
        const records = recordsOf(names.filter((name) => name !== 'keys' && name !== 'functions'))
        const taken = await take(records.map(lineOf).join(''))
        for (const name of names) {
          for (const [endpoint, params] of questionsOf(name)) await expectAsOracle(taken, records, endpoint, params)
        }
        await taken.close()
      }),
      { numRuns: RUNS },
    )
  })
})
