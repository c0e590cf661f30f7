import { afterEach, beforeEach, expect, it } from 'vitest'
import { shardTableName } from '../../src/engine/clickhouse/schema/table-names.js'
import { startReceiver, withoutRepeats } from '../program/alerts/receiver.js'
import { alertFiles, alerting, FAILING, sendFailure } from '../program/alerts/serve-alerts.js'
import { run, type Served, serve, temporaryFolder, until } from '../program/support/program.js'
import { USER } from './cluster.js'
import { onEachTarget } from './on-targets.js'

const NAME = 'alert_events'
const RULE = FAILING.replace('interval 10 second', 'interval 60 second')
/** Without fields: ClickHouse 18 reads no paths of JSON. */
const EVENTS = 'select id, project, event_message from alert_events'

onEachTarget('alerts on %s', (target) => {
  const cluster = () => target().location.cluster
  const at = (url = target().url) => [
    ...['--clickhouse-url', url],
    ...(cluster() === undefined ? [] : ['--clickhouse-cluster', cluster()!]),
  ]
  const environment = () => ({
    LOGWEIR_IN_MEMORY: '0',
    ...(cluster() !== undefined && { LOGWEIR_CLICKHOUSE_USER: USER.name, LOGWEIR_CLICKHOUSE_PASSWORD: USER.password }),
  })
  async function drop(): Promise<void> {
    const { servers, location } = target()
    const tables = location.cluster === undefined ? [NAME] : [NAME, shardTableName(NAME)]
    for (const server of servers)
      for (const table of tables) await server.command(`DROP TABLE IF EXISTS ${location.database}.\`${table}\``)
  }
  beforeEach(drop)
  afterEach(async () => {
    await drop()
    await target().clear()
  })

  const eventsOf = (service: Served) => service.rows(`logs.all?project=a&sql=${encodeURIComponent(EVENTS)}`)

  it('fire, are told and recorded, in a table that schema creates', async () => {
    const receiver = await startReceiver()
    const { args } = alertFiles({ failing: RULE }, `[ops]\nkind = "webhook"\nurl = "${receiver.url}"\n`)
    const engine = ['--engine', 'clickhouse', ...at(), '--data-dir', temporaryFolder(), '--sql']
    const before = await serve([...engine, ...args], { environment: environment() })
    expect(before.stderrText()).toContain(`ClickHouse has no table of ${NAME}.`)
    expect(before.stderrText()).toContain(`--apply --sources ${NAME} creates the tables`)
    before.child.kill('SIGTERM')
    expect(await before.exit).toBe(0)
    for (const url of target().urls) {
      const schema = ['schema', 'clickhouse', '--apply', ...at(url), '--sources', NAME]
      expect((await run(schema, { environment: environment() })).stdout.toString()).toContain(`.${NAME}`)
    }
    const service = await serve([...engine, ...args], { environment: environment() })
    await sendFailure(service, 'a', '/cart')
    await until(
      async () => receiver.heard.length,
      (count) => count > 0,
    )
    expect(withoutRepeats(receiver.heard, 'path')).toEqual(['firing /cart'])
    expect(await alerting(service, 'alerts')).toMatchObject([{ state: 'firing', labels: { path: '/cart' } }])
    const events = await until(
      () => eventsOf(service),
      (rows) => rows.length > 0,
      60_000,
    )
    expect(events).toMatchObject([{ project: 'a', event_message: '/cart fails: 1' }])
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)
    // Without alerts the history stays readable.
    const later = await serve(engine, { environment: environment() })
    expect(await eventsOf(later)).toEqual(events)
  })
})
