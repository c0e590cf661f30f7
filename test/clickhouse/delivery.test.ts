import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { quotedTable } from '../../src/engine/clickhouse/schema/table-names.js'
import type { Server } from '../../src/engine/clickhouse/server/clickhouse-server.js'
import { appendAll } from '../support/engine.js'
import { createModelFiles } from '../support/model-files.js'
import { OWN_SOURCE } from '../support/own-source.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { edge, invocation, type TestRecord } from '../support/records.js'
import { onEachTarget } from './on-targets.js'

const RUNS = 8
const SOURCES = ['edge_logs', 'function_edge_logs', OWN_SOURCE] as const

const TITLE = 'brings every row, and none twice, however inserts fail and processes follow each other (seed %i)'

/** Results of an insert: nothing arrives, a part does, or all does without an answer to the sender. */
const FATES = ['lost', 'part', 'unheard', 'done', 'done'] as const

/** Wraps a server. Inserts fail in every way that the sender cannot distinguish, and some answers are lost. */
function unreliable(server: Server, random: Random) {
  const working = new Set<Promise<unknown>>()
  let isCut = false
  function work<T>(task: () => Promise<T>): Promise<T> {
    if (isCut) return Promise.reject(new Error('this process is dead'))
    const promise = task()
    working.add(promise)
    return promise.finally(() => working.delete(promise))
  }
  const insert: Server['insert'] = async (sql, blocks, queryId) => {
    const fate = oneOf(random, FATES)
    if (fate === 'part') await server.insert(sql, blocks.slice(0, Math.floor(blocks.length / 2)), queryId)
    if (fate === 'unheard' || fate === 'done') await server.insert(sql, blocks, queryId)
    if (fate !== 'done') throw new Error(fate)
  }
  return {
    server: {
      select: (sql, options) =>
        work(() => (random() < 0.2 ? Promise.reject(new Error('no answer')) : server.select(sql, options))),
      selectNative: (sql, options) => work(() => server.selectNative(sql, options)),
      insert: (sql, blocks, queryId) => work(() => insert(sql, blocks, queryId)),
      command: (sql) => work(() => server.command(sql)),
      close: async () => {},
    } satisfies Server,
    /** Rejects all later requests. Resolves when the earlier requests are done. */
    async cut() {
      isCut = true
      await Promise.allSettled(working)
    },
  }
}

function recordsOf(random: Random, from: number): TestRecord[] {
  return Array.from({ length: 1 + below(random, 40) }, (_, i) => {
    const make = random() < 0.5 ? edge : invocation
    const own = random() < 0.3 ? { source: OWN_SOURCE } : {}
    return make({
      ...own,
      id: `${from + i}`,
      project: `p${below(random, 6)}`,
      timestampUs: below(random, 3 * 86_400e6),
    })
  })
}

onEachTarget('delivery to %s', (target) => {
  /** Returns the ids on the server, by source. */
  async function idsThere(): Promise<string[]> {
    const found = await Promise.all(
      SOURCES.map((source) => target().servers[0]!.select(`SELECT id FROM ${quotedTable(target().location, source)}`)),
    )
    return found.flat().map(([id]) => String(id))
  }

  it.each(Array.from({ length: RUNS }, (_, seed) => seed))(TITLE, async (seed) => {
    const random = mulberry32(seed)
    let files = createModelFiles()
    const all: TestRecord[] = []
    for (let life = 0; life < 3; life++) {
      const { server, cut } = unreliable(target().servers[0]!, random)
      const limits = { rows: 1 + below(random, 60) }
      const timing = { settleMs: 1, firstWaitMs: 1, longestWaitMs: 4, closeMs: 0 }
      const engine = await target().open({ server, files, limits, timing, log: () => {} })
      const records = recordsOf(random, all.length)
      await appendAll(engine, records, 1 + below(random, 10))
      all.push(...records)
      // All processes but the last are killed at some time.
      const settled = engine.settled()
      await (life === 2 ? settled : Promise.race([settled, wait(below(random, 60))]))
      if (life === 2) expect(await files.list('unconfirmed')).toEqual([])
      files = files.restart()
      await cut()
      await engine.close()
    }
    expect((await idsThere()).sort()).toEqual(all.map(({ id }) => id).sort())
    await target().clear(SOURCES)
  })
})
