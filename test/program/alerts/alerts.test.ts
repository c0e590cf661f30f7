import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run, type Served, serve, temporaryFolder, until } from '../support/program.js'
import { startReceiver, withoutRepeats } from './receiver.js'
import { alertFiles, alerting, FAILING, sendFailure } from './serve-alerts.js'

const OPS = '[ops]\nkind = "webhook"\nurl = { env = "HOOK" }\nheaders = { Authorization = { env = "HOOK_KEY" } }\n'
const sqlOf = (text: string) => `logs.all?project=a&sql=${encodeURIComponent(text)}`

describe('serve --alerts', () => {
  it('fires, notifies, answers and records', { timeout: 60_000 }, async () => {
    const receiver = await startReceiver()
    const dataDir = temporaryFolder()
    const { args } = alertFiles({ failing: FAILING }, OPS)
    const environment = { LOGWEIR_IN_MEMORY: '0', HOOK: receiver.url, HOOK_KEY: 'Bearer s3cret-key' }
    const service = await serve([...args, '--sql', '--data-dir', dataDir], { environment })
    expect(JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'))).toMatchObject({ version: 1 })
    expect(await service.rows(sqlOf('select count(*) as n from alert_events'))).toEqual([{ n: 0 }])
    expect(await alerting(service, 'rules')).toMatchObject([{ name: 'failing', notify: 'ops', every: 1, firing: 0 }])
    await sendFailure(service, 'a', '/cart')
    await until(
      async () => receiver.heard.length,
      (count) => count > 0,
    )
    expect(withoutRepeats(receiver.heard, 'path')).toEqual(['firing /cart'])
    expect(receiver.heard[0]).toMatchObject({ authorization: 'Bearer s3cret-key', url: '/hook/s3cret-path' })
    const [alert] = await alerting(service, 'alerts')
    expect(alert).toMatchObject({
      ...{ rule: 'failing', severity: 'warning', state: 'firing', labels: { project: 'a', path: '/cart' } },
      ...{ values: { errors: 1 }, text: '/cart fails: 1', ends_at: null, is_muted: false },
    })
    const events = await until(
      () => service.rows(sqlOf('select project, event_message, rule, state, labels.path as path from alert_events')),
      (rows) => rows.length > 0,
    )
    const event = { project: 'a', event_message: '/cart fails: 1', rule: 'failing', state: 'firing', path: '/cart' }
    expect(events).toEqual([event])
    expect(JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'))).toMatchObject({ version: 2 })
    await expectRead(service)
    expect(await service.metric('logweir_alerts{rule="failing",state="firing"}')).toBe(1)
    expect(await service.metric('logweir_notifications_total{receiver="ops",result="delivered"}')).toBe(1)
    expect(await service.metric('logweir_alert_evaluations_total{rule="failing",result="ok"}')).toBeGreaterThan(0)
    const answers = await Promise.all(
      ['/metrics', '/api/alerting/rules', '/api/alerting/alerts'].map(async (path) => (await service.get(path)).text()),
    )
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)
    const read = await run(['sql', dataDir, 'select state from alert_events', '--format', 'json'], { environment })
    expect(JSON.parse(read.stdout.toString())).toEqual({ result: [{ state: 'firing' }] })
    for (const text of [...answers, service.stderrText(), ...filesOf(dataDir)]) {
      expect(text).not.toMatch(/s3cret|hook/)
      expect(text).not.toContain(new URL(receiver.url).host)
    }
  })

  it('stops in time while a receiver does not answer, and tells it after the next start', {
    timeout: 60_000,
  }, async () => {
    const receiver = await startReceiver((number) => (number === 0 ? 'hang' : 200))
    const { args } = alertFiles({ failing: FAILING }, OPS.replace(/headers.*\n/, ''))
    const environment = { LOGWEIR_IN_MEMORY: '0', HOOK: receiver.url }
    const all = [...args, '--data-dir', temporaryFolder()]
    const first = await serve(all, { environment })
    await sendFailure(first, 'a', '/cart')
    await until(
      async () => receiver.heard.length,
      (count) => count === 1,
    )
    first.child.kill('SIGTERM')
    expect(await first.exit).toBe(0)
    expect(first.stderrText()).not.toContain('not stopped within')
    await serve(all, { environment })
    await until(
      async () => receiver.heard.length,
      (count) => count === 2,
    )
    expect(new Set(receiver.heard.map(({ key }) => key)).size).toBe(1)
    expect(withoutRepeats(receiver.heard, 'path')).toEqual(['firing /cart'])
  })
})

/** Expects the record of the alert in the answers of the page, in the list of projects, and in a live tail. */
async function expectRead({ rows, get }: Served): Promise<void> {
  const [found, ...others] = await rows('logs.explore?project=a&source=alert_events')
  expect([found.event_message, others]).toEqual(['/cart fails: 1', []])
  expect(await rows('logs.histogram?project=a&source=alert_events')).toMatchObject([{ count: 1 }])
  expect(await rows('logs.fields?project=a&source=alert_events')).toContainEqual(
    expect.objectContaining({ field: 'rule', values: [{ value: 'failing', count: 1 }] }),
  )
  const { result } = (await (await get('/api/projects')).json()) as { result: { source: string; rows: number }[] }
  expect(result).toContainEqual(expect.objectContaining({ source: 'alert_events', project: 'a', rows: 1 }))
  const tail = await get('/api/tail?project=a&source=alert_events')
  let text = ''
  for await (const piece of tail.body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    if (text.includes('/cart fails: 1')) break
  }
}

/** The contents of all files below a folder, as Latin-1. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
}
