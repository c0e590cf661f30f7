import { once } from 'node:events'
import { closeSync, createWriteStream, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { SOURCE_NAMES } from '../../src/common/sources.js'
import { generate } from '../../src/generate/generate.js'
import { temporaryFolder, until } from '../program/support/program.js'
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
    await service.waitForStderr(/standard input ended: 1000000 rows accepted, 0 rejected/)
    const sumOf = async (value: string) => {
      const each = SOURCE_NAMES.map((source) => `SELECT ${value} AS one FROM logweir.${source}`)
      const [[sum]] = (await target.servers[0]!.select(`SELECT sum(one) FROM (${each.join(' UNION ALL ')})`)) as [
        [string],
      ]
      return Number(sum)
    }
    await until(
      () => sumOf('count()'),
      (rows) => rows >= ROWS,
      60_000,
    )
    const seconds = (performance.now() - startMs) / 1000
    console.log(
      `${ROWS} records in ${seconds.toFixed(1)} s, ${Math.round(ROWS / seconds)} a second, the start included`,
    )
    expect(await sumOf('count()')).toBe(ROWS)
    expect(await sumOf('uniqExact(id)')).toBe(ROWS)
  })
})
