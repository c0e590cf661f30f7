import { describe, expect, it } from 'vitest'
import type { EventRecord } from '../../src/alerts/states/event-record.js'
import { HISTORY_SOURCE, ownSourceCount, registerSource } from '../../src/common/sources.js'
import type { IngestBatch } from '../../src/engine/engine.js'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { shareNames } from '../../src/ingest/names/shared-names.js'
import { createHistoryAppender } from '../../src/service/alert-history.js'
import { readSql } from '../../src/sql/read-sql.js'
import { openEngine, readAll } from '../support/engine.js'
import { below, mulberry32 } from '../support/random.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'

registerSource(HISTORY_SOURCE)

/** Three records lie at each instant. Every fourth has no project. */
const record = (n: number, text = `text ${n} ü`): EventRecord => ({
  id: `id-${n}`,
  timestamp: 1_000_000 * Math.floor(n / 3),
  event_message: text,
  project: n % 4 === 0 ? '' : `p${n % 3}`,
  metadata: { rule: 'r', state: 'firing', labels: { path: '/ü' }, values: { n }, severity: 'warning' },
})
const records = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => record(from + i))

const rowsOf = async (engine: ArrowEngine, sql: string) => readAll(await engine.run(readSql(sql).plan({}, 1e15)))
const idsOf = async (engine: ArrowEngine) =>
  (await rowsOf(engine, 'select id from alert_events order by id')).map(({ id }) => id)
const sortedIds = (all: readonly EventRecord[]) => all.map(({ id }) => id).sort()

it('the history is no own source, and no thread that parses knows the source', () => {
  expect(ownSourceCount()).toBe(0)
  const { configured, table } = shareNames()
  expect([configured, Buffer.from(table).includes(HISTORY_SOURCE)]).toEqual([[], false])
})

describe('the appender of the history', () => {
  it('stores records as rows that all queries read', async () => {
    const engine = openEngine()
    await createHistoryAppender(engine)(records(0, 5))
    const fields = 'project, id, event_message, rule, labels.path as path, cast(values.n as int64) as n'
    expect(await rowsOf(engine, `select ${fields} from alert_events order by id`)).toEqual(
      records(0, 5).map(({ project, id, event_message }, n) => {
        return { project: project || null, id, event_message, rule: 'r', path: '/ü', n }
      }),
    )
    await engine.close()
  })

  it('stores records of which none has a project, and long ones', async () => {
    const engine = openEngine()
    const long = records(0, 40).map((one) => ({ ...one, project: '', event_message: 'x'.repeat(100_000) }))
    await createHistoryAppender(engine)(long)
    expect(await rowsOf(engine, 'select count(*) as n, count(project) as p from alert_events')).toEqual([
      { n: 40, p: 0 },
    ])
    await engine.close()
  })

  it('leaves out what a process before has stored', async () => {
    const engine = openEngine()
    await createHistoryAppender(engine)(records(2, 8))
    await createHistoryAppender(engine)(records(0, 12))
    expect(await idsOf(engine)).toEqual(sortedIds(records(0, 12)))
    await engine.close()
  })

  it('stores each record once, whatever fails and however often records are passed', async () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let run = 0; run < runs(200); run++) {
      const engine = openEngine()
      const failing = {
        run: engine.run,
        // As on a full disk.
        async append(batch: IngestBatch) {
          if (below(random, 4) === 0) throw new Error('full')
          await engine.append(batch)
        },
      }
      let append = createHistoryAppender(failing)
      let settled = 0
      let known = 0
      while (settled < 30) {
        known = Math.min(30, known + below(random, 5))
        if (below(random, 4) === 0) append = createHistoryAppender(failing)
        const isStored = await append(records(settled, known)).then(
          () => true,
          () => false,
        )
        // The ids may not be settled, as on a full disk.
        if (isStored && below(random, 3) > 0) settled = known
      }
      expect(await idsOf(engine), `seed ${seed}, run ${run}`).toEqual(sortedIds(records(0, 30)))
      await engine.close()
    }
  })
})
