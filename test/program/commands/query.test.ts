import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ENDPOINTS } from '../../../src/endpoints/index.js'
import { fakeService, reply } from '../../client/fake-service.js'
import { run, type Served, serve, served, start, TOKEN, temporaryFolder, until } from '../support/program.js'

const PROJECT = 'abcdefghijklmnopqrst'
const LOGS = `logs.all?project=${PROJECT}`

/** Writes two records and waits until both are visible. */
async function feed(service: Served): Promise<void> {
  for (const id of ['one', 'two']) {
    const record = { source: 'edge_logs', id, project: PROJECT, event_message: `GET "${id}"\u001b[2J`, metadata: {} }
    service.child.stdin!.write(`${JSON.stringify(record)}\n`)
  }
  await until(
    () => service.rows(LOGS),
    (rows) => rows.length === 2,
  )
}

const query = (url: string, args: readonly string[], token = TOKEN) =>
  run(['query', 'logs.all', '--project', PROJECT, '--url', url, ...args], { environment: { LOGWEIR_TOKEN: token } })

it('asks a running service, in each format that it speaks', async () => {
  const service = await serve()
  await feed(service)
  const json = await query(service.url, [])
  expect({ ...json, stdout: JSON.parse(json.stdout.toString()).result }).toEqual({
    code: 0,
    stdout: await service.rows(LOGS),
    stderr: '',
  })
  expect(json.stdout.toString()).toMatch(/^\{"result":\[\n\{.*\},\n\{.*\}\n\]\}\n$/)
  const table = (await query(service.url, ['--format', 'table'])).stdout.toString().split('\n')
  expect(table[0]).toMatch(/^timestamp +event_message +id +metadata$/)
  expect(table[1]).toMatch(/^\d{4}-\d\d-\d\dT\S+Z +GET "two"\\u001b\[2J +two +\{\}$/)
  expect(table.length).toBe(4)
  for (const [format, type] of [
    ['ndjson', 'application/x-ndjson'],
    ['csv', 'text/csv'],
  ] as const) {
    const answer = await service.get(`/api/endpoints/query/${LOGS}`, { headers: { Accept: type } })
    expect(answer.headers.get('Content-Type')).toMatch(type)
    const { code, stdout } = await query(service.url, ['--format', format])
    expect([code, stdout.toString()]).toEqual([0, await answer.text()])
  }
})

it('finds the token that a service on this machine made', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const program = start(['serve', '--port', '0', '--data-dir', dataDir], { stdin: 'pipe' })
  await program.waitForStderr(/listening on/)
  const service = await served(program, readFileSync(join(dataDir, 'token'), 'utf8').trim())
  await feed(service)
  const { code, stdout } = await run([
    'query',
    'logs.all',
    '--project',
    PROJECT,
    '--url',
    service.url,
    '--data-dir',
    dataDir,
  ])
  expect(code).toBe(0)
  expect(JSON.parse(stdout.toString()).result).toHaveLength(2)
})

it('fails with 1 where the service says no, with 2 where it is called wrongly', async () => {
  const { url } = await serve()
  const said = async (args: readonly string[], token?: string) => {
    const { code, stdout, stderr } = await query(url, args, token)
    expect(stdout.toString()).toBe('')
    return [code, stderr]
  }
  expect(await said([], 'wrong')).toEqual([1, expect.stringMatching(/^logweir: http.*\(unauthorized\).*\n$/)])
  expect(await said(['--iso-timestamp-start', 'soon'])).toEqual([1, expect.stringMatching(/\(invalid_timestamp\)\n$/)])
  expect(await said(['--intervall', '1day'])).toEqual([
    2,
    expect.stringMatching(/^logweir: unknown flag --intervall\. .*\n$/),
  ])
  const nobody = await query('http://127.0.0.1:1', [])
  expect(nobody).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^logweir: cannot reach a service at http:\/\/127\.0\.0\.1:1: .*\n$/),
  })
})

it('ends in silence when nobody reads any more', async () => {
  const { url } = await fakeService((request, response) => {
    if (request.url === '/api/endpoints') return reply(response, { result: [listed] })
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  })
  const { name, params } = ENDPOINTS[0]!
  const listed = { name, parameters: Object.keys(params).map((param) => ({ name: param })) }
  const program = start(['query', name, '--project', 'a', '--url', url], { environment: { LOGWEIR_TOKEN: 'open' } })
  await once(program.child.stdout!, 'data')
  program.child.stdout!.destroy()
  expect(await program.exit).toBe(0)
  expect(program.stderrText()).toBe('')
})
