import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run, type Served, serve, temporaryFolder } from '../support/program.js'

const PROJECT = 'p'
const LONGEST = `n${'x'.repeat(62)}`
const SOURCES = ['--sources', `nginx,app,constructor,${LONGEST}`, '--sql']

const record = (source: string | undefined, message: string, metadata: object = {}) =>
  `${JSON.stringify({ source, project: PROJECT, event_message: message, metadata })}\n`

const post = ({ get }: Served, path: string, body: string) =>
  get(path, { method: 'POST', body, headers: { 'Content-Type': 'application/x-ndjson' } })

const sql = (text: string) => `logs.all?project=${PROJECT}&sql=${encodeURIComponent(text)}`

/** Sends a record to each own source, by each way. */
async function send(service: Served): Promise<void> {
  service.child.stdin!.end(record(undefined, 'stdin') + record('nginx', 'named'))
  await service.waitForStderr(/standard input ended: 2 rows accepted/)
  const answers = [
    await post(service, '/api/logs', record(LONGEST, 'http') + record('constructor', 'http')),
    await post(service, '/api/logs?source=nginx', record('stdout', 'url', { status: 404 })),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
}

/** Expects the records of {@link send}, in all answers. */
async function expectRecords({ rows, get, metric }: Served): Promise<void> {
  const messages = await rows(sql('select event_message from nginx order by event_message'))
  expect(messages).toEqual([{ event_message: 'named' }, { event_message: 'url' }])
  expect(await rows(sql(`select count(*) as n from ${LONGEST}`))).toEqual([{ n: 1 }])
  expect(await rows(sql("select source from nginx where event_message = 'url'"))).toEqual([{ source: 'stdout' }])
  for (const source of ['app', 'constructor', LONGEST]) {
    expect(await rows(`logs.explore?project=${PROJECT}&source=${source}`)).toHaveLength(1)
    expect(await metric(`logweir_rows{source="${source}"}`)).toBe(1)
  }
  const histogram = await rows(`logs.histogram?project=${PROJECT}&source=constructor`)
  expect(histogram).toEqual([expect.objectContaining({ count: 1 })])
  expect(await rows(`logs.fields?project=${PROJECT}&source=nginx`)).toContainEqual(
    expect.objectContaining({ field: 'status', values: [{ value: 404, count: 1 }] }),
  )
  const { result } = (await (await get('/api/projects')).json()) as { result: { source: string; rows: number }[] }
  const projects = result.map((row) => [row.source, row.rows])
  expect(projects).toEqual([
    ['app', 1],
    ['constructor', 1],
    ['nginx', 2],
    [LONGEST, 1],
  ])
  expect(await (await get('/api/openapi.json')).text()).toContain(`"${LONGEST}"`)
}

describe('own sources', () => {
  it('are written and read in memory', async () => {
    const service = await serve([...SOURCES, '--source', 'app', '--in-memory'])
    await send(service)
    await expectRecords(service)
  })

  it('stay readable on disk and are refused on ingest when they are no longer configured', async () => {
    const folder = temporaryFolder()
    const first = await serve([...SOURCES, '--source', 'app', '--data-dir', folder])
    await send(first)
    await expectRecords(first)
    first.child.kill('SIGTERM')
    await first.exit
    const second = await serve(['--sources', 'payments', '--sql', '--data-dir', folder])
    await expectRecords(second)
    const refused = await post(second, '/api/logs', record('nginx', 'late'))
    expect([refused.status, (await refused.text()).includes('unknown_source')]).toEqual([400, true])
    const named = await post(second, '/api/logs?source=nginx', record(undefined, 'late'))
    expect(await named.json()).toMatchObject({
      code: 'unknown_source',
      error: expect.stringMatching(
        /"nginx", which takes no records any more; its rows stay readable\..* payments, or an alias, .*--sources/,
      ),
    })
    expect((await post(second, '/api/logs', record('payments', 'new'))).status).toBe(200)
    second.child.kill('SIGTERM')
    await second.exit
    const { stdout } = await run(['sql', folder, `select count(*) as n from ${LONGEST}`, '--format', 'ndjson'])
    expect(stdout.toString()).toBe('{"n":1}\n')
    expect((await run(['check', folder])).stdout.toString()).toContain('no fault')
  })

  it('of any name are made by records, outlive a start with a list, and count at the next with any name', async () => {
    const folder = temporaryFolder()
    const any = ['--data-dir', folder, '--sql', '--sources']
    const first = await serve([...any, 'named,*', '--otlp-source', 'service.name'])
    const bad = ['../../etc', 'a/../b', '"\n', '$(x)', '__proto__', 'select', 'x'.repeat(64), '<b>']
    const made = ['a_b', 'etc_i_', 'nginx', 'shop']
    const body = ['A/../b', 'Etc<i>', 'nginx', ...bad].map((name) => record(name, name)).join('')
    const answer = (await (await post(first, '/api/logs', body)).json()) as { taken: number; rejected: object[] }
    // `a/../b` is a spelling of `a_b`.
    expect([answer.taken, answer.rejected.length]).toEqual([4, bad.length - 1])
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'SHOP' } }] }
    const otlp = { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [{ body: { stringValue: 'sold' } }] }] }] }
    const headers = { 'Content-Type': 'application/json' }
    const sent = await first.get('/v1/logs?project=p', { method: 'POST', body: JSON.stringify(otlp), headers })
    expect(await sent.text()).toBe('{}')
    expect(await first.rows(sql('select event_message, source from shop'))).toEqual([
      { event_message: 'sold', source: 'SHOP' },
    ])
    expect(
      readdirSync(join(folder, 'journal'))
        .map((name) => name.replace(/-.*/, ''))
        .sort(),
    ).toEqual(made)
    const labels = (await (await first.get('/metrics')).text()).match(/source="[^"]*"/g)!
    for (const label of labels) expect(label).toMatch(/^source="[a-z][a-z0-9_]{0,62}"$/)
    first.child.kill('SIGTERM')
    await first.exit
    const second = await serve([...any, 'named'])
    const late = await post(second, '/api/logs', record('nginx', 'late'))
    expect(await late.json()).toMatchObject({ code: 'unknown_source', error: expect.stringContaining('--sources') })
    const byUrl = await post(second, '/api/logs?source=nginx', record(undefined, 'late'))
    expect(await byUrl.json()).toMatchObject({ error: expect.stringContaining('its rows stay readable') })
    expect(await second.rows(sql('select event_message from a_b order by event_message'))).toHaveLength(2)
    second.child.kill('SIGTERM')
    await second.exit
    const third = await serve([...any, '*'])
    expect((await post(third, '/api/logs', record('nginx', 'again') + record('Named', 'm'))).status).toBe(200)
    expect(await third.rows(sql('select event_message from nginx order by event_message'))).toEqual([
      { event_message: 'again' },
      { event_message: 'nginx' },
    ])
  })

  it('raise the format of the directory with the first record, not before', async () => {
    const folder = temporaryFolder()
    const service = await serve([...SOURCES, '--data-dir', folder])
    const format = () => JSON.parse(readFileSync(join(folder, 'format.json'), 'utf8')).version
    await post(service, '/api/logs', record('edge_logs', 'one of the nine'))
    expect(format()).toBe(1)
    await post(service, '/api/logs', record('nginx', 'an own one'))
    expect(format()).toBe(2)
  })

  it('have no names from hostile directories and files', async () => {
    const folder = temporaryFolder()
    const first = await serve(['--data-dir', folder])
    await post(first, '/api/logs', record('edge_logs', 'a'))
    first.child.kill('SIGTERM')
    await first.exit
    const hostile = ['Nginx', 'select', '..x', 'a b', 'é', `${LONGEST}y`, 'lines', '__proto__']
    for (const name of hostile) {
      mkdirSync(join(folder, 'segments', name, '2026-11-20'), { recursive: true })
      writeFileSync(join(folder, 'journal', `${name}-00000001.log`), 'x')
    }
    const second = await serve(['--data-dir', folder, '--sql'])
    const document = await (await second.get('/api/openapi.json')).text()
    const metrics = await (await second.get('/metrics')).text()
    for (const name of hostile) {
      expect(document).not.toContain(`"${name}"`)
      expect(metrics).not.toContain(`source="${name}"`)
      expect(existsSync(join(folder, 'segments', name))).toBe(true)
    }
    expect(readdirSync(join(folder, 'journal')).length).toBeGreaterThanOrEqual(hostile.length)
    expect(await second.rows(sql('select event_message from edge_logs'))).toEqual([{ event_message: 'a' }])
  })
})

it.each([
  ['--sources a,Nginx', '--sources: "Nginx" is not a name of a-z, 0-9 and _'],
  ['--sources a --source nginx', '--source: nginx is none of the nine sources, and --sources does not name it'],
])('serve %s does not start', async (line, message) => {
  const { code, stderr } = await run(['serve', '--in-memory', ...line.split(' ')])
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
