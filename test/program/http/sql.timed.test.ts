import { expect, it } from 'vitest'
import { mutated } from '../../support/mutated-sql.js'
import { mulberry32, type Random } from '../../support/random.js'
import { randomRecords } from '../../support/random-plans.js'
import { randomSql } from '../../support/random-sql.js'
import { testSeed } from '../../support/seed.js'
import { expectFreeLoop, probeHealth } from '../support/health-probe.js'
import { type Served, serve } from '../support/program.js'

const RECORDS = 5_000
const STATUSES = new Set([200, 400, 501, 503])
it('health is answered at once while clients send texts of SQL, most of them wrong', async () => {
  const seed = testSeed()
  console.log(`seed ${seed}`)
  const random = mulberry32(seed)
  const service = await serve(['--sql'], { stdin: 'ignore' })
  await send(service, random)
  const statuses = new Map<number, number>()
  const client = async (isRunning: () => boolean) => {
    while (isRunning()) {
      const status = await statusOf(service, mutated(randomSql(random), random))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await expectFreeLoop(() => probeHealth(service.url, (isRunning) => [client(isRunning), client(isRunning)]))
  expect([...statuses.keys()].filter((status) => !STATUSES.has(status))).toEqual([])
  expect(statuses.get(200)).toBeGreaterThan(10)
  expect(statuses.get(400)).toBeGreaterThan(10)
})

async function statusOf(service: Served, text: string): Promise<number> {
  const path = `/api/endpoints/query/logs.all?project=a&sql=${encodeURIComponent(text.toWellFormed())}`
  const response = await service.get(path)
  await response.arrayBuffer()
  return response.status
}

async function send(service: Served, random: Random): Promise<void> {
  const lines = randomRecords(random, RECORDS).map(({ source, event_message, metadata }) => {
    const others = JSON.stringify({ source, project: 'a', event_message })
    return `${others.slice(0, -1)},"metadata":${metadata}}`
  })
  const headers = { 'Content-Type': 'application/x-ndjson' }
  const response = await service.get('/logs', { method: 'POST', body: lines.join('\n'), headers })
  expect(response.status).toBe(200)
}
