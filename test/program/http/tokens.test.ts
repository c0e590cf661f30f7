import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readEvents } from '../../support/events.js'
import { eventually } from '../../support/eventually.js'
import { run, type Served, serve, served, start, temporaryFolder, until } from '../support/program.js'

const OPERATOR = { LOGWEIR_ACCESS_TOKENS: 'of-the-operator' }
const LOGS = '/api/endpoints/query/logs.all?project='
const COUNTS = '/api/endpoints/query/usage.api-counts?interval=daily&project='

function statusOf(service: Served, token: string, path: string, init: RequestInit = {}): Promise<number> {
  return service.get(path, { ...init, headers: { 'X-API-KEY': token } }).then(({ status }) => status)
}

const request = (project: string | undefined) => ({
  project,
  metadata: { request: { url: `https://${project}.example.co/rest`, path: '/rest' } },
})

async function post(service: Served, token: string, records: unknown[], query = '') {
  const headers = { 'X-API-KEY': token, 'Content-Type': 'application/json' }
  const body = JSON.stringify(records)
  const answer = await service.get(`/api/logs?source=edge_logs${query}`, { method: 'POST', headers, body })
  return [answer.status, await answer.json()]
}

/** Starts a service, and runs `logweir token` on the same data directory. */
async function startWithData() {
  const dataDir = join(temporaryFolder(), 'data')
  const service = await serve(['--data-dir', dataDir], { environment: OPERATOR, stdin: 'ignore' })
  const token = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(['token', ...args, '--data-dir', dataDir])
    expect([code, stderr]).toEqual([0, expect.any(String)])
    return stdout.toString().trim()
  }
  /** Waits until the program answers with this status, which takes at most a second after a change. */
  const becomes = (given: string, path: string, status: number) =>
    until(
      () => statusOf(service, given, path),
      (found) => found === status,
      5_000,
    )
  return { dataDir, service, token, becomes }
}

describe('logweir token, beside a running service', () => {
  it('makes tokens that open what they are bound to, and revokes them, without a restart', async () => {
    const { dataDir, service, token, becomes } = await startWithData()
    const [reader, shipper] = await Promise.all([
      token('create', '--name', 'reader', '--scope', 'query', '--project', 'a.c'),
      token('create', '--name', 'shipper', '--scope', 'ingest', '--project', 'a.c'),
    ])
    expect(statSync(join(dataDir, 'tokens.json')).mode & 0o777).toBe(0o600)
    await becomes(reader!, '/api/endpoints', 200)
    await becomes(shipper!, '/api/endpoints', 403)

    expect(await post(service, shipper!, [request('a.c'), request('abc'), request(undefined)])).toEqual([
      200,
      { message: 'Logged!', taken: 2, rejected: [{ record: 2, reason: 'forbidden_project' }] },
    ])
    expect(await post(service, shipper!, [request('abc')])).toMatchObject([403, { code: 'forbidden_project' }])
    expect(await post(service, shipper!, [request('a.c')], '&project=abc')).toMatchObject([
      403,
      { code: 'forbidden_project' },
    ])
    expect(await post(service, reader!, [request('a.c')])).toMatchObject([403, { code: 'forbidden' }])
    expect(await post(service, 'of-the-operator', [request('abc')])).toEqual([200, { message: 'Logged!' }])
    const rejects = readFileSync(join(dataDir, 'rejects.ndjson'), 'utf8').trim().split('\n')
    expect(rejects.map((line) => JSON.parse(line).reason)).toEqual(['forbidden_project', 'forbidden_project'])
    expect(await service.metric('logweir_rejected_rows_total{reason="forbidden_project"}')).toBe(2)

    const counted = async (given: string) => {
      const answer = await service.get(`${COUNTS}a.c`, { headers: { 'X-API-KEY': given } })
      return ((await answer.json()) as { result: { total_rest_requests: number }[] }).result[0]?.total_rest_requests
    }
    expect([await counted('of-the-operator'), await counted(reader!)]).toEqual([2, 1])
    expect(await statusOf(service, reader!, `${LOGS}a.c`)).toBe(200)
    expect(await statusOf(service, reader!, `${LOGS}abc`)).toBe(403)
    expect(await statusOf(service, reader!, '/metrics')).toBe(403)

    await token('revoke', 'reader')
    await becomes(reader!, '/api/endpoints', 401)
    expect(await statusOf(service, shipper!, '/api/endpoints')).toBe(403)
    expect(await token('list')).toMatch(/^ID .*\n[0-9a-f]{8} +shipper +ingest +a\.c +never +any /)
    expect(service.stderrText()).not.toContain(reader)
    expect(service.stderrText()).not.toContain(shipper)
    expect(readFileSync(join(dataDir, 'tokens.json'), 'utf8')).not.toContain(shipper)
  })

  it('revokes the token of a live tail, which ends soon and gets no record after that', async () => {
    const { service, token, becomes } = await startWithData()
    const reader = await token('create', '--name', 'reader', '--scope', 'query')
    await becomes(reader, '/api/endpoints', 200)
    const tail = readEvents(await service.get('/api/tail?project=a.c', { headers: { 'X-API-KEY': reader } }))
    const send = (id: string) => post(service, 'of-the-operator', [{ ...request('a.c'), id }])
    await send('before')
    await eventually(() => expect(tail.ids()).toEqual(['before']))
    await token('revoke', 'reader')
    const revokedMs = performance.now()
    await tail.ended
    // Two seconds, and the load of other tests.
    expect(performance.now() - revokedMs).toBeLessThan(6_000)
    await send('after')
    expect(tail.ids()).toEqual(['before'])
    expect(tail.stream().events.at(-1)).toMatchObject({
      type: 'dropped',
      data: expect.stringContaining('"unauthorized"'),
    })
  })

  it('makes tokens that end by themselves, and that may be used so often only', async () => {
    const { service, token, becomes } = await startWithData()
    const [brief, slow] = await Promise.all([token('create', '--expires', '4s'), token('create', '--rate', '2/h')])
    await becomes(brief!, '/api/endpoints', 200)
    await until(
      () => statusOf(service, slow!, '/api/endpoints'),
      (status) => status !== 401,
      5_000,
    )
    const refused = await service.get('/api/endpoints', { headers: { 'X-API-KEY': slow! } })
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([429, 'too_many_requests'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1_700)
    await becomes(brief!, '/api/endpoints', 401)
  })

  it('loses no token of many that are made at the same time', async () => {
    const { token } = await startWithData()
    await Promise.all(Array.from({ length: 6 }, (_, i) => token('create', '--name', `n${i}`)))
    const listed = (await token('list', '--json')).split('\n').map((line) => JSON.parse(line).name)
    expect(listed.sort()).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5'])
  })

  it('goes on with the tokens of before where the file is broken', async () => {
    const { dataDir, service, token, becomes } = await startWithData()
    const made = await token('create')
    await becomes(made, '/api/endpoints', 200)
    writeFileSync(join(dataDir, 'tokens.json'), '{"tokens":[')
    await service.waitForStderr(
      /the tokens file has changed and cannot be used; the previous tokens stay in force\. .*\n/,
    )
    expect(await statusOf(service, made, '/api/endpoints')).toBe(200)
    const { code, stdout, stderr } = await run(['token', 'create', '--data-dir', dataDir])
    expect([code, stdout.toString()]).toEqual([2, ''])
    expect(stderr).toMatch(/^logweir: .*tokens\.json: is not of the form .*\n$/)
  })
})

it('a token that is made before the first start is the one that opens', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const made = (await run(['token', 'create', '--data-dir', dataDir])).stdout.toString().trim()
  const service = await served(start(['serve', '--port', '0', '--data-dir', dataDir]), made)
  expect(await statusOf(service, made, '/metrics')).toBe(200)
  expect(service.stderrText()).not.toContain('created an access token')
})
