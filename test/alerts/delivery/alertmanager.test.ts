import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Receiver } from '../../../src/alerts/delivery/receivers.js'
import { notificationsOf } from '../../../src/alerts/delivery/requests.js'
import { createSender } from '../../../src/alerts/delivery/send.js'
import { createStatePoster } from '../../../src/alerts/delivery/state-poster.js'
import { type ToldAlert, toldLabels } from '../../../src/alerts/delivery/told-alert.js'
import type { AlertEvent } from '../../../src/alerts/states/state.js'
import { systemClock } from '../../../src/base/time/clock.js'
import { MILLISECOND_US, MINUTE_US } from '../../../src/base/units.js'
import { eventually } from '../../support/eventually.js'
import { freePort } from '../../support/free-port.js'

const PROGRAM = 'prometheus-alertmanager'
const isInstalled = spawnSync(PROGRAM, ['--version']).status === 0

/** Starts an Alertmanager on loopback with the webhook `hook`. Returns the address. */
async function startAlertmanager(hook: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-alertmanager-'))
  const config = join(folder, 'config.json')
  const route = { receiver: 'hook', group_by: ['alertname'], group_wait: '10ms', group_interval: '50ms' }
  const receivers = [{ name: 'hook', webhook_configs: [{ url: hook, send_resolved: true }] }]
  writeFileSync(config, JSON.stringify({ route, receivers }))
  const port = await freePort()
  const flags = [`--config.file=${config}`, `--storage.path=${folder}`, `--web.listen-address=127.0.0.1:${port}`]
  const child = spawn(PROGRAM, [...flags, '--cluster.listen-address='], { stdio: 'ignore' })
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200))
  return url
}

interface HookBody {
  status: string
  alerts: { status: string; labels: Record<string, string>; annotations: Record<string, string>; startsAt: string }[]
}

it.skipIf(!isInstalled)(
  'Alertmanager accepts, groups and resolves what is posted, and its webhook has our form',
  async () => {
    const got: HookBody[] = []
    const server = createServer(async (request, response) => {
      got.push(JSON.parse(Buffer.concat(await request.toArray()).toString()))
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = await startAlertmanager(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const startsUs = Math.floor(systemClock.nowUs() / MINUTE_US) * MINUTE_US
    const odd = '<!channel> {errors} \r\nX: y "\u202e'
    const alertOf = (path: string): ToldAlert => {
      const labels = toldLabels('edge.errors', 'critical', [['path', path]])
      return { identity: path, labels, values: [], text: `${path} fails`, state: 'firing', startsUs, endsUs: undefined }
    }
    let alerts = [alertOf('/x'), alertOf(odd)]
    const sender = createSender()
    onTestFinished(() => sender.close())
    const results: string[] = []
    const receiver: Receiver = { name: 'am', kind: 'alertmanager', url, headers: {} }
    const onResult = (_: string, result: string) => void results.push(result)
    const poster = createStatePoster(receiver, {
      clock: systemClock,
      sender,
      random: Math.random,
      alerts: () => alerts,
      onResult,
    })
    poster.pump()
    await eventually(() => expect(got.at(-1)?.alerts.length).toBe(2))
    // The webhook may hear before the reply to the post is read.
    await eventually(() => expect(results).toEqual(['delivered']))
    expect(
      got
        .at(-1)!
        .alerts.map(({ labels }) => labels.path)
        .sort(),
    ).toEqual(['/x', odd])
    alerts = alerts.map((alert) => ({ ...alert, state: 'resolved', endsUs: systemClock.nowUs() }))
    poster.changed()
    poster.pump()
    await eventually(() => expect(got.at(-1)?.status).toBe('resolved'))
    await poster.stop()

    const times = { instantUs: startsUs, startsUs }
    const event: AlertEvent = {
      rule: 'a',
      identity: 'i',
      state: 'firing',
      ...times,
      labels: [['b', 'c']],
      values: [],
      text: 't',
    }
    const options = { severity: 'critical', nextId: () => 1, nowUs: startsUs }
    const [own] = notificationsOf({ name: 'ops', kind: 'webhook' }, [event], options)
    const body = JSON.parse(own!.body)
    const keysOf = (object: object) => Object.keys(object).sort()
    expect(keysOf(body)).toEqual(keysOf(got[0]!))
    expect(keysOf(body.alerts[0]).filter((key) => key !== 'values')).toEqual(keysOf(got[0]!.alerts[0]!))
    expect(Date.parse(got[0]!.alerts[0]!.startsAt) * MILLISECOND_US).toBe(startsUs)
  },
)
