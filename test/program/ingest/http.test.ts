import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { allNumbers, PROJECT } from '../support/numbered.js'
import { launch, listening, type Served, serve, temporaryFolder } from '../support/program.js'

const COUNT = 10_000
/** Concurrent shippers, and rows per request, for the tests with restarts. */
const [SHIPPERS, ARRAY_ROWS] = [8, 50]
const startUs = Date.now() * 1000 - 3600e6
const numbered = (number: number) => ({ id: `${number}`, timestamp: startUs + number, message: `row ${number}` })
const batchFrom = (from: number, count: number) => Array.from({ length: count }, (_, i) => numbered(from + i))
const allOf = (count: number) => [...Array(count).keys()]

const PATH = `/api/logs?source=edge_logs&project=${PROJECT}`
type Url = Pick<Served, 'get'>

function post(service: Url, body: unknown, headers: Record<string, string> = {}, path = PATH): Promise<Response> {
  const bytes =
    body instanceof Uint8Array ? new Uint8Array(body) : typeof body === 'string' ? body : JSON.stringify(body)
  return service.get(path, { method: 'POST', body: bytes, headers: { 'Content-Type': 'application/json', ...headers } })
}

/** Returns the status and the body. */
const answerOf = async (response: Promise<Response>) => [(await response).status, await (await response).json()]
const LOGGED = [200, { message: 'Logged!' }]

it('a cached answer without rows has them soon after records arrive, over HTTP and on standard input', async () => {
  const service = await serve()
  const paths = [`usage.api-counts?project=${PROJECT}&interval=daily`, `functions.invocation-stats?project=${PROJECT}`]
  for (const path of paths) expect(await service.rows(path)).toEqual([])
  const metadata = { request: { url: `https://${PROJECT}.supabase.co/rest/v1`, path: '/rest/v1' } }
  expect(await answerOf(post(service, [{ metadata }]))).toEqual(LOGGED)
  const invocation = { source: 'function_edge_logs', metadata: { project_ref: PROJECT, function_id: 'f' } }
  service.child.stdin!.end(`${JSON.stringify(invocation)}\n`)
  await service.waitForStderr(/1 rows accepted/)
  await wait(2_000)
  for (const path of paths) expect(await service.rows(path)).toMatchObject([{}])
})

describe('records over HTTP', () => {
  it('arrive exactly, in whatever form, and bad ones are named', async () => {
    const dataDir = temporaryFolder()
    const service = await serve(['--data-dir', dataDir], { stdin: 'ignore' })
    const batches = allOf(COUNT / 500).map((i) => batchFrom(500 * i, 500))
    const forms = [
      (batch: object[]) => post(service, batch),
      (batch: object[]) => post(service, { batch }, {}, PATH.replace('/api/logs', '/logs')),
      (batch: object[]) => post(service, JSON.stringify(batch, null, 2)),
      (batch: object[]) => post(service, gzipSync(JSON.stringify({ batch })), { 'Content-Encoding': 'gzip' }),
      (batch: object[]) =>
        post(service, batch.map((one) => JSON.stringify(one)).join('\n'), { 'Content-Type': 'application/x-ndjson' }),
    ]
    const answers = await Promise.all(batches.map((batch, i) => answerOf(forms[i % forms.length]!(batch))))
    expect(answers).toEqual(batches.map(() => LOGGED))

    const bad = [numbered(COUNT), { ...numbered(0), timestamp: 'nope' }, numbered(COUNT + 1)]
    expect(await answerOf(post(service, bad))).toEqual([
      200,
      { message: 'Logged!', taken: 2, rejected: [{ record: 2, reason: 'invalid_timestamp' }] },
    ])
    for (const damaged of ['[{},', '[{"id":"kept"},{"a":01}]', '{"batch":[{"id":"kept"},{"a":tru}]}'])
      expect(await answerOf(post(service, damaged))).toMatchObject([400, { code: 'invalid_body' }])
    expect(await answerOf(post(service, [{}], {}, '/logs'))).toMatchObject([400, { code: 'missing_source' }])

    expect(await allNumbers(service, startUs)).toEqual(allOf(COUNT + 2))
    expect(await service.metric('logweir_ingested_rows_total{source="edge_logs"}')).toBe(COUNT + 2)
    expect(await service.metric('logweir_rejected_rows_total{reason="invalid_timestamp"}')).toBe(1)
    const [first] = await service.rows(`logs.all?project=${PROJECT}&project_tier=PRO`)
    expect(first).toMatchObject({ id: `${COUNT + 1}`, event_message: `row ${COUNT + 1}` })
    const rejects = readFileSync(join(dataDir, 'rejects.ndjson'), 'utf8').trim().split('\n')
    expect(rejects.map((line) => JSON.parse(line).reason)).toEqual(['invalid_timestamp', 'missing_source'])
  })

  it('come in beside standard input', async () => {
    const service = await serve(['--source', 'auth_logs'])
    service.child.stdin!.end('{}\n{}\n')
    expect(await answerOf(post(service, batchFrom(0, 3)))).toEqual(LOGGED)
    await service.waitForStderr(/standard input ended: 2 rows accepted, 0 rejected\n/)
    expect(await answerOf(post(service, batchFrom(3, 3)))).toEqual(LOGGED)
    expect(await service.metric('logweir_ingested_rows_total{source="edge_logs"}')).toBe(6)
    expect(await service.metric('logweir_ingested_rows_total{source="auth_logs"}')).toBe(2)
  })
})

/**
 * Sends all rows from eight shippers at once: array by array, each array repeated until the service accepts the array.
 */
async function ship(current: () => Url, begin: () => void): Promise<void> {
  const arrays = allOf(COUNT / ARRAY_ROWS).map((i) => batchFrom(ARRAY_ROWS * i, ARRAY_ROWS))
  const shipOnAndOn = async () => {
    for (let array = arrays.shift(); array !== undefined; array = arrays.shift()) {
      begin()
      while (!(await isTaken(current(), array))) await wait(20)
    }
  }
  await Promise.all(allOf(SHIPPERS).map(shipOnAndOn))
}

async function isTaken(service: Url, array: object[]): Promise<boolean> {
  const status = await post(service, array).then(
    ({ status }) => status,
    () => 503,
  )
  expect([200, 429, 503]).toContain(status)
  return status === 200
}

/**
 * Sends rows while a signal ends the service twice and the service restarts. Returns the numbers of the stored rows.
 */
async function keptOver(signal: 'SIGKILL' | 'SIGTERM'): Promise<number[]> {
  const args = ['--data-dir', temporaryFolder()]
  let service = await serve(args, { stdin: 'ignore' })
  let begun = 0
  const shipping = ship(
    () => service,
    () => void begun++,
  )
  for (const at of [60, 120]) {
    while (begun < at) await wait(1)
    service.child.kill(signal)
    await service.exit
    service = await listening(launch(args, { stdin: 'ignore' }))
  }
  expect(begun).toBeLessThan(COUNT / ARRAY_ROWS)
  await shipping
  service.child.kill(signal)
  await service.exit
  return allNumbers(await serve(args, { stdin: 'ignore' }), startUs)
}

describe('D1: records over HTTP', () => {
  it('D1: of which an answer has told survive kill -9, and a shipper that sends again loses none', async () => {
    expect([...new Set(await keptOver('SIGKILL'))]).toEqual(allOf(COUNT))
  })
})

describe('X1: SIGTERM while records come in over HTTP', () => {
  it('loses none of a shipper that sends again, and doubles none', async () => {
    expect(await keptOver('SIGTERM')).toEqual(allOf(COUNT))
  })

  it('ends it with 0; what was answered with 200 is kept', async () => {
    const args = ['--data-dir', temporaryFolder()]
    const service = await serve(args, { stdin: 'ignore' })
    const size = 200
    const answers: Promise<number>[] = []
    for (let i = 0; i < 40; i++) {
      answers.push(
        post(service, batchFrom(size * i, size)).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      if (i === 20) {
        await answers[0]
        service.child.kill('SIGTERM')
      }
    }
    expect(await service.exit).toBe(0)
    const statuses = await Promise.all(answers)
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200))
    const kept = new Set(await allNumbers(await serve(args, { stdin: 'ignore' }), startUs))
    const lost = statuses.flatMap((status, i) =>
      status === 200 ? batchFrom(size * i, size).filter(({ id }) => !kept.has(Number(id))) : [],
    )
    expect(lost).toEqual([])
  })
})
