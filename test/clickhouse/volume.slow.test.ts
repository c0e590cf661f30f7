import { once } from 'node:events'
import { closeSync, createWriteStream, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { generate } from '../../src/generate/generate.js'
import { SOURCE_NAMES } from '../../src/sources.js'
import { temporaryFolder } from '../program/program.js'
import { findServer, startCluster, WHY_NO_SERVER } from './cluster.js'
import { describeWhere } from './needs.js'
import { serveOn } from './service.js'
import { makeTarget } from './targets.js'

const ROWS = 1_000_000

describeWhere(findServer(), 'clickhouse-server', WHY_NO_SERVER, 'a million records', () => {
  it('stream into two shards, each of them once; the rate is printed', async () => {
    const path = join(temporaryFolder(), 'records.ndjson')
    const file = createWriteStream(path)
    const options = { seed: 1, source: 'all', spanUs: 7 * 86_400e6, slim: true, projects: 2_000, badEvery: 0 } as const
    for await (const chunk of generate({ ...options, rows: ROWS, endUs: Date.now() * 1000 })) {
      if (!file.write(chunk)) await once(file, 'drain')
    }
    file.end()
    await once(file, 'finish')

    const cluster = await startCluster()
    const target = await makeTarget(cluster.urls, { database: 'logweir', cluster: cluster.name }, cluster.stop)
    onTestFinished(() => target.stop())
    const stdin = openSync(path, 'r')
    const startMs = performance.now()
    const service = await serveOn(cluster, { stdin })
    closeSync(stdin)
    await service.says(/standard input ended: 1000000 rows taken, 0 rejected/)
    const counts = SOURCE_NAMES.map((source) => `SELECT count() AS rows, uniqExact(id) AS ids FROM logweir.${source}`)
    const sum = `SELECT sum(rows), sum(ids) FROM (${counts.join(' UNION ALL ')})`
    const counted = async () => (await target.servers[0]!.select(sum))[0]!.map(Number)
    let [rows, ids] = await counted()
    while (rows! < ROWS && performance.now() - startMs < 300_000) [rows, ids] = await counted()
    const seconds = (performance.now() - startMs) / 1000
    console.log(
      `${ROWS} records in ${seconds.toFixed(1)} s, ${Math.round(ROWS / seconds)} a second, the start included`,
    )
    expect([rows, ids]).toEqual([ROWS, ROWS])
  })
})
