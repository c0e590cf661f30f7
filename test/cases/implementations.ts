import type { ArrowEngine, ArrowEngineOptions } from '../../src/engine/store/engine.js'
import { oracle, type Params, type PlainRow } from '../oracle/oracle.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, ask, openEngine } from '../support/engine.js'
import type { TestRecord } from '../support/records.js'

/** An implementation that answers endpoints over records, given in order of arrival. */
export interface Implementation {
  name: string
  answer(
    endpoint: string,
    records: readonly TestRecord[],
    params: Params,
    nowUs: number,
  ): PlainRow[] | Promise<PlainRow[]>
}

/** Earlier times of the same query: the embedded engine has then cached partial results of sealed segments. */
const BEFORE_US = [3_600e6, 60e6, 0]

type Fill = (engine: ArrowEngine, records: readonly TestRecord[]) => Promise<void>

/** The embedded engine, filled by `fill`. */
function arrow(name: string, fill: Fill, options: Partial<ArrowEngineOptions> = {}): Implementation {
  return {
    name: `the embedded engine, ${name}`,
    async answer(endpoint, records, params, nowUs) {
      const engine = openEngine({ clock: createFakeClock(nowUs), ...options })
      try {
        await fill(engine, records)
        if (options.partialCacheBytes !== 0)
          for (const beforeUs of BEFORE_US) await ask(engine, endpoint, params, nowUs - beforeUs)
        return await ask(engine, endpoint, params, nowUs)
      } finally {
        await engine.close()
      }
    },
  }
}

const inOneBatch: Fill = (engine, records) => appendAll(engine, records)
const inManyBatches: Fill = (engine, records) => appendAll(engine, records, Math.ceil(records.length / 300))

const sealed: Fill = async (engine, records) => {
  await appendAll(engine, records, Math.ceil(records.length / 7))
  await engine.seal()
}

const halfSealed: Fill = async (engine, records) => {
  const half = Math.ceil(records.length / 2)
  await appendAll(engine, records.slice(0, half), Math.ceil(half / 5))
  await engine.seal()
  await appendAll(engine, records.slice(half), Math.ceil(half / 5))
}

/** All implementations that the cases are run with. Another engine is a line here. */
export const IMPLEMENTATIONS: readonly Implementation[] = [
  { name: 'the oracle', answer: oracle },
  arrow('one batch', inOneBatch, { partialCacheBytes: 0 }),
  arrow('many batches', inManyBatches, { partialCacheBytes: 0 }),
  arrow('sealed', sealed, { partialCacheBytes: 0 }),
  arrow('sealed and asked before', sealed),
  arrow('half of it sealed', halfSealed),
  arrow('sealed every three rows', inManyBatches, { sealRows: 3, partialCacheBytes: 0 }),
  arrow('sealed every three rows and asked before', inManyBatches, { sealRows: 3 }),
]
