import { afterEach, beforeEach, expect, it } from 'vitest'
import { shardTableName } from '../../src/engine/clickhouse/schema/table-names.js'
import { run, type Served, serve, temporaryFolder, until } from '../program/support/program.js'
import { readEvents } from '../support/events.js'
import { OWN_SOURCE } from '../support/own-source.js'
import { USER } from './cluster.js'
import { onEachTarget } from './on-targets.js'
import type { Target } from './targets.js'

const PROJECT = 'p'
/** Sources that this file alone has: a usual one, a word of ClickHouse's SQL, and the longest name. */
const [WEB, FINAL, LONGEST] = ['web', 'final', `n${'x'.repeat(62)}`] as const
const SOURCES = [WEB, FINAL, LONGEST]
const NAMED = ['--sources', SOURCES.join()]
/** The own source of the other tests has a table. */
const EXISTING = OWN_SOURCE

const record = (source: string | undefined, message: string, metadata: object = {}) =>
  `${JSON.stringify({ source, project: PROJECT, event_message: message, metadata })}\n`

const post = ({ get }: Served, path: string, body: string) =>
  get(path, { method: 'POST', body, headers: { 'Content-Type': 'application/x-ndjson' } })

const sql = (text: string) => `logs.all?project=${PROJECT}&sql=${encodeURIComponent(text)}`

onEachTarget('own sources on %s', (target) => {
  const at = ({ location }: Target, url = target().url) => [
    ...['--clickhouse-url', url],
    ...(location.cluster === undefined ? [] : ['--clickhouse-cluster', location.cluster]),
  ]
  const isOld = () => target().location.cluster !== undefined
  const environment = () => ({
    LOGWEIR_IN_MEMORY: '0',
    ...(isOld() && { LOGWEIR_CLICKHOUSE_USER: USER.name, LOGWEIR_CLICKHOUSE_PASSWORD: USER.password }),
  })
  const start = (args: readonly string[], dataDir = temporaryFolder()) => {
    const engine = ['--engine', 'clickhouse', ...at(target()), '--data-dir', dataDir, '--sql']
    return serve([...engine, ...args], { environment: environment() })
  }
  /** Creates the tables on each server by its own address. Returns the exit code of the last run, and all lines. */
  async function apply(...args: string[]) {
    const lines: string[] = []
    let code: unknown
    for (const url of target().urls) {
      const schema = ['schema', 'clickhouse', '--apply', ...at(target(), url), ...args]
      const ran = await run(schema, { environment: environment() })
      lines.push(...ran.stdout.toString().split('\n').slice(0, -1))
      code = ran.code
    }
    return { code, lines }
  }

  async function stop({ child, exit }: Served): Promise<void> {
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  }
  const tablesOf = (sources: readonly string[]) =>
    isOld() ? sources.flatMap((source) => [source, shardTableName(source)]) : sources
  async function drop(sources: readonly string[]): Promise<void> {
    const { servers, location } = target()
    for (const server of servers)
      for (const table of tablesOf(sources))
        await server.command(`DROP TABLE IF EXISTS ${location.database}.\`${table}\``)
  }
  beforeEach(() => drop(SOURCES))
  afterEach(async () => {
    await drop(SOURCES)
    await target().clear()
  })

  /** Sends a record to each source, by each way, and waits until all are stored. */
  async function send(service: Served): Promise<void> {
    service.child.stdin!.end(record(undefined, 'stdin') + record(WEB, 'named', { status: 500 }))
    await service.waitForStderr(/standard input ended: 2 rows accepted/)
    const answers = [
      await post(service, '/api/logs', record(LONGEST, 'http') + record(EXISTING, 'refused')),
      await post(service, `/api/logs?source=${WEB}`, record('stdout', 'url', { status: 404, path: '/a' })),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await answers[0]!.json()).toMatchObject({ rejected: [{ reason: 'unknown_source' }] })
    await until(
      () => Promise.all(SOURCES.map((source) => service.metric(`logweir_rows{source="${source}"}`))),
      (unconfirmed) => unconfirmed.every((rows) => rows === 0),
      60_000,
    )
  }

  /** Expects the records of {@link send}, in all answers. */
  async function expectRecords({ rows, get }: Served): Promise<void> {
    const messages = await rows(sql(`select event_message from ${WEB} order by event_message`))
    expect(messages).toEqual([{ event_message: 'named' }, { event_message: 'url' }])
    const both = `select count(*) as n from (select id from ${WEB} union all select id from ${LONGEST})`
    expect(await rows(sql(both))).toEqual([{ n: 3 }])
    expect(await rows(`logs.explore?project=${PROJECT}&source=${FINAL}`)).toMatchObject([{ event_message: 'stdin' }])
    expect(await rows(`logs.histogram?project=${PROJECT}&source=${WEB}&by=nothing`)).toMatchObject([{ count: 2 }])
    expect(await rows(`logs.fields?project=${PROJECT}&source=${WEB}`)).toContainEqual(
      expect.objectContaining({ field: 'path', values: [{ value: '/a', count: 1 }] }),
    )
    await expectFields({ rows, get })
    const { result } = (await (await get('/api/projects')).json()) as { result: { source: string; rows: number }[] }
    expect(result.map((row) => [row.source, row.rows])).toEqual([
      [FINAL, 1],
      [LONGEST, 1],
      [WEB, 2],
    ])
    expect(await (await get('/api/openapi.json')).text()).toContain(`"${LONGEST}"`)
  }

  /** Fields of own sources have no columns, so that old servers refuse them. */
  async function expectFields({ rows, get }: Pick<Served, 'rows' | 'get'>): Promise<void> {
    const query = sql(`select path from ${WEB} where status = 404`)
    if (isOld()) {
      const refused = await get(`/api/endpoints/query/${query}`)
      expect([refused.status, await refused.json()]).toMatchObject([501, { error: { code: 'unsupported_by_engine' } }])
      return
    }
    expect(await rows(query)).toEqual([{ path: '/a' }])
    const histogram = await rows(`logs.histogram?project=${PROJECT}&source=${WEB}`)
    expect(histogram.map((row) => [row.class, row.count])).toEqual([
      ['4xx', 1],
      ['5xx', 1],
    ])
  }

  it('have tables by schema --apply, and are written, read and followed; another start reads them still', async () => {
    const { code, lines } = await apply(...NAMED)
    expect(code).toBe(0)
    const { urls, location } = target()
    const created = tablesOf(SOURCES).map((table) => `created ${location.database}.${table}`)
    for (const one of created) expect(lines.filter((line) => line.split(' at ')[0] === one)).toHaveLength(urls.length)
    expect(new Set((await apply(...NAMED)).lines)).toEqual(new Set(['nothing was missing']))

    const first = await start([...NAMED, '--source', FINAL])
    const tail = readEvents(await first.get(`/api/tail?project=${PROJECT}&source=${WEB}`))
    await send(first)
    await until(
      async () => tail.stream().events.length,
      (events) => events === 2,
      60_000,
    )
    await tail.leave()
    await expectRecords(first)
    expect(first.stderrText()).not.toContain('ClickHouse has no table')
    await stop(first)

    const second = await start(['--sources', EXISTING])
    await expectRecords(second)
    const refused = await post(second, '/api/logs', record(WEB, 'late'))
    expect([refused.status, (await refused.text()).includes('unknown_source')]).toEqual([400, true])
    expect((await post(second, '/api/logs', record(EXISTING, 'new'))).status).toBe(200)
    await stop(second)
  })

  it('without a table are named at the start, with the remedy; their rows wait for it', async () => {
    const service = await start(['--sources', `${EXISTING},${WEB}`])
    expect(service.stderrText()).toContain(
      `ClickHouse has no table of ${WEB}. Until logweir schema clickhouse --apply --sources ${WEB} creates the ` +
        'tables, rows wait in the data directory, and queries fail.',
    )
    const refused = await service.get(`/api/endpoints/query/logs.explore?project=${PROJECT}&source=${WEB}`)
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      {
        code: 'engine_unavailable',
        error:
          'ClickHouse has no table of a source that this query reads: run logweir schema clickhouse --apply with ' +
          'all --sources.',
      },
    ])
    expect((await post(service, '/api/logs', record(WEB, 'waits'))).status).toBe(200)
    await service.waitForStderr(/rows cannot be sent .* \(logweir schema clickhouse --apply --sources web creates/)
    expect((await apply('--sources', WEB)).code).toBe(0)
    await service.waitForStderr(/rows are sent to ClickHouse again/)
    expect(await service.rows(`logs.explore?project=${PROJECT}&source=${WEB}`)).toMatchObject([
      { event_message: 'waits' },
    ])
  })

  it('that wait in the data directory are sent by a start that does not name them', async () => {
    const dataDir = temporaryFolder()
    const first = await start(['--sources', WEB], dataDir)
    expect((await post(first, '/api/logs', record(WEB, 'waits'))).status).toBe(200)
    await first.waitForStderr(/rows cannot be sent/)
    await stop(first)
    expect((await apply('--sources', WEB)).code).toBe(0)
    const second = await start([], dataDir)
    await until(
      () => second.rows(`logs.explore?project=${PROJECT}&source=${WEB}`),
      (rows) => rows.length === 1,
      60_000,
    )
    await stop(second)
    expect((await run(['check', dataDir])).stdout.toString()).toContain('no fault')
  })

  it('are exported from a data directory, which need not name them', async () => {
    const dataDir = temporaryFolder()
    const service = await serve([...NAMED, '--data-dir', dataDir], { environment: { LOGWEIR_IN_MEMORY: '0' } })
    const lines = SOURCES.map((source) => record(source, 'one'))
    service.child.stdin!.end(record('edge_logs', 'one') + lines.join(''))
    await service.waitForStderr(/standard input ended: 4 rows accepted/)
    await stop(service)
    const to = ['export', '--to', 'clickhouse', '--data-dir', dataDir, ...at(target())]
    const exporting = () => run(to, { environment: environment() })
    const refused = await exporting()
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(`(logweir schema clickhouse --apply --sources ${FINAL} creates the tables)`)
    await apply(...NAMED)
    const total = `(in total edge_logs 1, ${FINAL} 1, ${LONGEST} 1, ${WEB} 1)`
    for (const counts of ['4 rows exported, 0 already there', '0 rows exported, 4 already there']) {
      const { code, stdout, stderr } = await exporting()
      expect({ code, stdout: stdout.toString(), stderr }).toEqual({
        code: 0,
        stdout: `${counts} ${total}\n`,
        stderr: '',
      })
    }
    const reader = await start([])
    expect(await reader.rows(sql(`select event_message from ${FINAL}`))).toEqual([{ event_message: 'one' }])
    await stop(reader)
  })

  it('are no other tables of the database', async () => {
    const [server] = target().servers
    const { database } = target().location
    const strange = [
      `${database}.web (timestamp Int64, project String)`,
      `${database}.\`Web\` AS ${database}.pgbouncer_logs`,
      `${database}.\`select\` AS ${database}.pgbouncer_logs`,
    ]
    for (const table of strange) await server!.command(`CREATE TABLE ${table} ENGINE = Memory`)
    const service = await start([])
    const document = await (await service.get('/api/openapi.json')).text()
    expect(document).toContain(`"${EXISTING}"`)
    for (const name of ['web', 'Web', 'select', 'edge_logs_shard']) expect(document).not.toContain(`"${name}"`)
    await stop(service)
    for (const name of ['Web', 'select']) await server!.command(`DROP TABLE ${database}.\`${name}\``)
  })
})
