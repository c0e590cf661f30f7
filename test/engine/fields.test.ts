import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { GIB } from '../../src/base/units.js'
import type { ArrowEngine } from '../../src/engine/arrow/engine.js'
import type { Aggregate } from '../../src/plan/aggregates.js'
import { call, column, type Expression, field, literal } from '../../src/plan/expression.js'
import type { Operator, Plan } from '../../src/plan/plan.js'
import { type Scalar, Timestamp } from '../../src/plan/values/values.js'
import type { SourceName } from '../../src/sources.js'
import { type Outcome, runPlan } from '../oracle/plan/run.js'
import { appendAll, openEngine } from '../support/engine.js'
import { createModelFiles, type ModelFiles } from '../support/model-files.js'
import { DECLARED_FIELDS, oddRecords, TWIN } from '../support/odd-fields.js'
import { showPlan } from '../support/random-plans.js'
import { expectAnswer } from './plans.js'

const RECORDS = oddRecords()

const LITERALS: readonly Scalar[] = [
  'GET',
  '500',
  500,
  '5e2',
  1.5,
  true,
  '',
  9007199254740993n,
  9007199254740992,
  2n ** 63n - 1n,
  0,
  'é😀',
  new Timestamp(Date.UTC(2026, 10, 20, 10) * 1000),
]

const scan = (source: SourceName): Operator => ({ op: 'scan', sources: [source], fromUs: -1e15, throughUs: 1e16 })
const filter = (where: Expression): Operator => ({ op: 'filter', where })
const byId: Operator = { op: 'orderBy', keys: [{ by: column('id'), direction: 'asc', nulls: 'last' }] }
const ids: Operator = { op: 'select', columns: [{ name: 'id', value: column('id') }] }
const aggregate = (fn: Aggregate['fn'], ...args: Expression[]) => ({ name: fn, value: { fn, args } })

/** Plans that read a field in every way that section 1 of the contract has a rule for. */
function plansOf(source: SourceName, value: Expression): Plan[] {
  const tests = LITERALS.flatMap((other) =>
    (['eq', 'ne', 'lt', 'ge'] as const).map((fn) => call(fn, value, literal(other))),
  )
  const conditions = [
    ...tests,
    call('in', value, literal('POST'), literal(200), literal(true)),
    call('is_null', value),
    call('like', value, literal('5%0')),
    call('regexp_contains', value, literal('^[15]\\.?[0e]')),
    call('eq', call('lower', value), literal('get')),
    call('eq', call('cast_string', value), literal('500.0')),
  ]
  const columns = [
    { name: 'id', value: column('id') },
    { name: 'value', value },
    { name: 'text', value: call('concat', literal('<'), value, literal('>')) },
  ]
  const key = { name: 'key', value }
  const own = literal('a')
  const ordered: Operator[] = [
    { op: 'orderBy', keys: [{ by: value, direction: 'asc', nulls: 'first' }] },
    { op: 'limit', rows: 20, offset: 3 },
    { op: 'select', columns: columns.slice(1, 2) },
  ]
  return [
    [scan(source), { op: 'select', columns }, byId],
    ...conditions.map((where): Plan => [scan(source), filter(where), byId, ids]),
    [scan(source), filter(call('eq', column('project'), own)), filter(conditions[0]!), byId, ids],
    [scan(source), { op: 'group', keys: [key], aggregates: [aggregate('count')] }],
    [scan(source), { op: 'group', keys: [key, { name: 'project', value: column('project') }], aggregates: [] }],
    [
      scan(source),
      {
        op: 'group',
        keys: [],
        aggregates: [
          aggregate('min', value),
          aggregate('max', value),
          aggregate('sum', value),
          aggregate('avg', value),
          aggregate('count', value),
          aggregate('count_distinct', value),
        ],
      },
    ],
    [scan(source), ...ordered],
  ]
}

/** All plans, with what the oracle says, once it is asked. */
const CASES = DECLARED_FIELDS.flatMap(([source, path]) => {
  const keys = path.split('.')
  const records = RECORDS.filter((record) => record.source === source)
  const plans = [keys, [TWIN, ...keys]].flatMap((each) => plansOf(source, field(each)))
  return plans.map((plan) => {
    let expected: Outcome | undefined
    return { plan, expected: () => (expected ??= runPlan(plan, records)) }
  })
})

/** Every how many plans run for each form of storage: all of them with 2,400 runs of LOGWEIR_TEST_RUNS or more. */
const STEP = Math.max(1, Math.round(2_400 / Number(process.env.LOGWEIR_TEST_RUNS ?? 300)))
let firstCase = 0

/** Expects the oracle's answers, twice: the second time fields and partial results are in memory. */
async function expectFields(engine: ArrowEngine): Promise<void> {
  firstCase++
  for (const { plan, expected } of CASES.filter((_, i) => (i + firstCase) % STEP === 0)) {
    for (const time of ['first', 'second'])
      await expectAnswer(engine, plan, expected(), `${showPlan(plan)}\n${time} time`)
  }
}

async function openOnDisk(files: ModelFiles, rowsLimitBytes: number): Promise<ArrowEngine> {
  const engine = openEngine({ rowsLimitBytes, disk: { directory: 'data', files, release: async () => {} } })
  await engine.recover()
  return engine
}

/** The files of a directory by path, as base64. */
function oldDirectory(): Record<string, string> {
  const packed = readFileSync(new URL('../fixtures/directory-4ef8db6.json.gz', import.meta.url))
  return JSON.parse(gunzipSync(packed).toString()) as Record<string, string>
}

describe('fields with and without a column have the same values, those of the oracle,', () => {
  it('in open heads', async () => {
    const engine = openEngine()
    await appendAll(engine, RECORDS, 40)
    await expectFields(engine)
  })

  it('in sealed segments', async () => {
    const engine = openEngine({ sealRows: 150 })
    await appendAll(engine, RECORDS, 40)
    await engine.seal()
    await expectFields(engine)
  })

  it('in segments on disk, with room for their columns and for none', async () => {
    const files = createModelFiles()
    const filled = await openOnDisk(files, GIB)
    await appendAll(filled, RECORDS, 40)
    await filled.seal()
    await expectFields(await openOnDisk(files.restart(), GIB))
    await expectFields(await openOnDisk(files.restart(), 1))
  })

  it('in a journal that was not sealed', async () => {
    const files = createModelFiles()
    await appendAll(await openOnDisk(files, GIB), RECORDS, 40)
    await expectFields(await openOnDisk(files.restart(), GIB))
  })

  it('in a directory that version 4ef8db6 wrote, with sealed segments and journals', async () => {
    const files = createModelFiles()
    for (const [path, base64] of Object.entries(oldDirectory())) files.put(path, Buffer.from(base64, 'base64'))
    await expectFields(await openOnDisk(files, GIB))
  })

  it('of which every field has a record', () => {
    for (const [source, path] of DECLARED_FIELDS) {
      const rows = runPlan([scan(source), filter(call('eq', field(path), literal('GET')))], RECORDS).rows.length
      expect(rows, path).toBeGreaterThan(0)
    }
  })
})
