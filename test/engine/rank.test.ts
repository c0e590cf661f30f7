import { describe, expect, it } from 'vitest'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { equals, scan } from '../../src/plan/builder.js'
import type { Plan } from '../../src/plan/plan.js'
import { appendAll, openEngine } from '../support/engine.js'
import { createModelFiles } from '../support/model-files.js'
import { edge } from '../support/records.js'
import { answerOf, openOnDisk } from './plans.js'
import { RANK_CASES, tiedRecords } from './rank-cases.js'

const RECORDS = tiedRecords()
/** Rows of each segment. The rest is in open heads. */
const SEALED = [4_000, 1_000, 6_000]

async function fill(engine: ArrowEngine): Promise<ArrowEngine> {
  let from = 0
  for (const rows of SEALED) {
    await appendAll(engine, RECORDS.slice(from, from + rows), 700)
    await engine.seal()
    from += rows
  }
  await appendAll(engine, RECORDS.slice(from), 700)
  return engine
}

async function expectCases(engine: ArrowEngine): Promise<void> {
  for (const { title, plan, rowsOf } of RANK_CASES) expect(await answerOf(engine, plan), title).toEqual(rowsOf(RECORDS))
}

describe('rows of equal times are ranked by arrival', () => {
  it('in memory, over several segments and an open head', async () => {
    await expectCases(await fill(openEngine()))
  })

  it('on disk, after a restart, with no memory for columns', async () => {
    const files = createModelFiles()
    await fill(await openOnDisk(files, {}))
    await expectCases(await openOnDisk(files.restart(), { rowsLimitBytes: 1 }))
  })

  it('the same before and after they are sealed', async () => {
    const engine = openEngine()
    const plan: Plan = scan('edge_logs', { fromUs: 0, throughUs: 1 })
      .filter(equals('project', 'a'))
      .select('id')
      .orderBy('timestamp', 'desc')
      .rank('rank')
      .limit(3)
    const wanted = [
      { id: '4', rank: 3 },
      { id: '2', rank: 2 },
      { id: '0', rank: 1 },
    ]
    await appendAll(
      engine,
      ['a', 'b', 'a', 'b', 'a'].map((project, i) => edge({ id: `${i}`, project })),
    )
    expect(await answerOf(engine, plan)).toEqual(wanted)
    await engine.seal()
    expect(await answerOf(engine, plan)).toEqual(wanted)
  })
})
