import { expect, it } from 'vitest'
import { withSlowness } from '../../support/cpu-ms.js'
import { type Served, serve, until } from '../support/program.js'
import { startReceiver, withoutRepeats } from './receiver.js'
import { alertFiles, alerting, FAILING } from './serve-alerts.js'

/** More than the groups of a query over HTTP. */
const PATHS = 200_000
const PATHS_OF_REQUEST = 10_000
const EVERY_MS = 5_000
const RULE = FAILING.replace('every 1s', 'every 5s').replace('interval 10 second', 'interval 5 minute')

it('a project with 200,000 paths that fail keeps no alert of another project back', { timeout: 120_000 }, async () => {
  const receiver = await startReceiver()
  const { args } = alertFiles({ failing: RULE }, '[ops]\nkind = "webhook"\nurl = { env = "HOOK" }\n')
  const service = await serve([...args, '--in-memory'], { environment: { HOOK: receiver.url } })
  for (let sent = 0; sent < PATHS; sent += PATHS_OF_REQUEST)
    await sendFailures(service, 'noisy', (i) => `/${sent + i}`, PATHS_OF_REQUEST)
  await until(
    () => alerting(service, 'alerts'),
    (alerts) => alerts.some(({ labels }) => labels.too_many === 'true'),
    60_000,
  )
  const sentMs = Date.now()
  const { result: alert, slowness } = await withSlowness(async () => {
    await sendFailures(service, 'quiet', () => '/cart', 1)
    const heard = async () => receiver.heard.flatMap(({ alerts }) => alerts)
    const ofQuiet = async () => (await heard()).filter(({ labels }) => labels.project === 'quiet')
    return (await until(ofQuiet, ({ length }) => length > 0, 60_000))[0]
  })
  expect(alert).toMatchObject({ status: 'firing', labels: { path: '/cart' } })
  // The next instant, or the one after what evaluating 200,000 groups on a quarter of a core leaves for this rule.
  expect(Date.parse(alert.startsAt) - sentMs).toBeLessThanOrEqual(EVERY_MS * (1 + slowness))
  // A hundred alerts of the noisy project, the one that says that there are more, and the other project's.
  const alerts = await alerting(service, 'alerts')
  expect(alerts.length).toBe(102)
  expect(alerts.find(({ labels }) => labels.too_many === 'true')).toMatchObject({ labels: { project: 'noisy' } })
  expect(withoutRepeats(receiver.heard, 'project').filter((one) => one.startsWith('resolved'))).toEqual([])
  expect(await alerting(service, 'rules')).toMatchObject([{ health: 'ok', reason: null }])
})

/** Sends failed requests of a project, with paths by number. */
async function sendFailures(
  service: Served,
  project: string,
  pathOf: (i: number) => string,
  count: number,
): Promise<void> {
  const lines = Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      ...{ source: 'edge_logs', project, timestamp: Date.now() * 1000, event_message: 'GET' },
      metadata: { request: { path: pathOf(i) }, response: { status_code: 500 } },
    }),
  )
  const headers = { 'Content-Type': 'application/x-ndjson' }
  const response = await service.get('/api/logs', { method: 'POST', headers, body: lines.join('\n') })
  expect(response.status).toBe(200)
}
