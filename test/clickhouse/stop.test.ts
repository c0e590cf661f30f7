import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { generate } from '../../src/generate/generate.js'
import { temporaryFolder, until } from '../program/support/program.js'
import { findServer, sharedCluster, WHY_NO_SERVER } from './cluster.js'
import { describeWhere } from './needs.js'
import { serveOn } from './service.js'
import { targetOn } from './targets.js'

/** No server listens at this address. */
const NOWHERE = { urls: ['http://127.0.0.1:1'], name: 'logweir_test' }
/** Without a drain for this long, the writer counts as blocked. */
const HELD_MS = 1_000

describeWhere(findServer(), 'clickhouse-server', WHY_NO_SERVER, 'stopping while ClickHouse is away', () => {
  it('holds the stream, takes 5 s at most, and leaves every row that was taken to the next start', async () => {
    const dataDir = temporaryFolder()
    const service = await serveOn(NOWHERE, { dataDir })
    const { stdin } = service.child
    let written = 0
    const endUs = Date.now() * 1000
    const made = generate({
      rows: 1_000_000,
      seed: 1,
      source: 'edge_logs',
      endUs,
      spanUs: 3_600e6,
      slim: false,
      projects: 50,
      badEvery: 0,
    })
    for await (const chunk of made) {
      written += chunk.length
      if (stdin!.write(chunk)) continue
      const drained = new Promise((resolve) => stdin!.once('drain', () => resolve(true)))
      if (!(await Promise.race([drained, wait(HELD_MS)]))) break
    }
    expect(written).toBeGreaterThan(60e6)
    expect(written).toBeLessThan(200e6)
    expect(await (await service.get('/health')).json()).toEqual({ status: 'degraded' })
    const refused = await service.get('/api/endpoints/query/logs.all?project=a')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await refused.json()).toMatchObject({ code: 'engine_unavailable' })

    const stopMs = performance.now()
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)
    expect(performance.now() - stopMs).toBeLessThan(5_000)
    // The line that the stop cut off is rejected.
    const [, taken] = /standard input ended: (\d+) rows accepted, [01] rejected/.exec(service.stderrText())!

    const cluster = await sharedCluster()
    const target = await targetOn(cluster)
    onTestFinished(() => target.stop())
    await serveOn(cluster, { dataDir })
    const count = 'SELECT count(), uniqExact(id) FROM logweir.edge_logs'
    await until(
      () => target.servers[0]!.select(count),
      ([row]) => row!.every((value) => value === taken),
      60_000,
    )
  })
})
