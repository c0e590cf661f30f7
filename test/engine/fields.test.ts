import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { GIB } from '../../src/base/units.js'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { call, field, literal } from '../../src/plan/expression.js'
import { runPlan } from '../oracle/plan/run.js'
import { appendAll, openEngine } from '../support/engine.js'
import { createModelFiles, type ModelFiles } from '../support/model-files.js'
import { DECLARED_FIELDS } from '../support/odd-fields.js'
import { addPathColumns } from '../support/path-columns.js'
import { mulberry32, oneOf } from '../support/random.js'
import { showPlan } from '../support/random-plans.js'
import { costlyRuns } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { CASES, filter, RECORDS, scan } from './field-cases.js'
import { expectAnswer } from './plans.js'

/** Random cases for each form of storage. */
const RUNS = costlyRuns(CASES.length / 6)
const random = mulberry32(testSeed())

/** Expects the oracle's answers, twice: the second time fields and partial results are in memory. */
async function expectFields(engine: ArrowEngine): Promise<void> {
  for (let run = 0; run < RUNS; run++) {
    const { plan, expected } = oneOf(random, CASES)
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

  it('in segments of which all, some or none have columns of paths', async () => {
    const files = createModelFiles()
    const filled = await openOnDisk(files, GIB)
    for (let from = 0; from < RECORDS.length; from += 100) {
      await appendAll(filled, RECORDS.slice(from, from + 100), 40)
      await filled.seal()
    }
    for (const share of [1, 0.6]) {
      const mixed = files.restart()
      await addPathColumns(mixed, () => random() < share)
      await expectFields(await openOnDisk(mixed, GIB))
      await expectFields(await openOnDisk(mixed.restart(), 1))
    }
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
