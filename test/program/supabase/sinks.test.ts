import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { SINK_NAMES, SOURCE_OF, vectorEvents } from '../../support/supabase/vector-events.js'
import { serve } from '../support/program.js'
import { shipToSinks } from '../support/vector-sinks.js'

const seed = testSeed()
const someEvents = (count: number) =>
  vectorEvents(mulberry32(seed), { count, fromMs: Date.now() - count * 100, stepMs: 100 })

it(`plain events of all seven sinks are stored in their sources (seed ${seed})`, async () => {
  const service = await serve(['--supabase'], { stdin: 'ignore' })
  const events = someEvents(1_000)
  const { statuses, dropped } = await shipToSinks(service.url, events)
  expect([Object.keys(statuses), dropped]).toEqual([['200'], 0])
  for (const sink of SINK_NAMES) {
    const expected = events.filter((event) => event.sink === sink).length
    expect(await service.metric(`logweir_rows{source="${SOURCE_OF[sink]}"}`)).toBe(expected)
  }
})

it('a batch is given up some time after its first try, and others still arrive', async () => {
  const answers: number[] = []
  const server = createServer((request, response) => {
    const status = request.url!.endsWith('gotrue.logs.prod') ? 503 : 200
    answers.push(status)
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const events = SINK_NAMES.flatMap((sink) => someEvents(3).map((event) => ({ ...event, sink })))
  const { statuses, dropped } = await shipToSinks(url, events, { retryMs: 5, retryForMs: 400, batchEvents: 2 })
  // Two batches of each sink. The batches of auth were tried several times.
  expect([statuses[200], dropped]).toEqual([12, 2])
  expect(statuses[503]).toBeGreaterThan(2)
})
