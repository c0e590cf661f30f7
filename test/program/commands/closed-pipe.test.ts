import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fakeService, reply } from '../../client/fake-service.js'
import { temporaryFolder } from '../support/program.js'
import { piped } from '../support/shell.js'

const ROW = { id: 'one', timestamp: 1_795_168_800_000_000, event_message: 'GET | one', metadata: {} }

/** Starts a service with an event stream that begins with the given events and then stays silent. */
const streamOf = (events: string) =>
  fakeService((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write(`retry: 1\n\n${events}`)
  })

const event = `id: 1\ndata: ${JSON.stringify(ROW)}\n\n`

describe('a reader that leaves', () => {
  it('ends tail, although no further row arrives', async () => {
    const { url } = await streamOf(event)
    expect(await piped(`tail --project a --url ${url}`, 'head -n 1')).toEqual({
      stdout: '2026-11-20T10:00:00Z  GET | one\n',
      stderr: 'exit 0\n',
    })
  })

  it('ends tail before the first row, and before the service is back', async () => {
    const { url } = await streamOf('')
    expect((await piped(`tail --project a --url ${url}`, 'sleep 1')).stderr).toBe('exit 0\n')
    const breaking = await fakeService((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(`retry: 60000\n\n${event}`, () => response.destroy())
    })
    // The program starts in less time, also next to other tests.
    const { stderr } = await piped(`tail --project a --url ${breaking.url}`, 'sleep 3')
    expect(stderr).toMatch(/^logweir: the answer broke off: .*\nexit 0\n$/)
  })

  it('ends watch, although no further event arrives', async () => {
    const { url } = await fakeService((request, response) => {
      if (request.url === '/api/endpoints') return reply(response, { result: [{ name: 'a', parameters: [] }] })
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write('event: snapshot\nid: 1\ndata: {"result":[]}\n\n')
    })
    expect(await piped(`watch a --url ${url}`, 'head -n 1')).toEqual({
      stdout: '{"event":"snapshot","id":"1","result":[]}\n',
      stderr: 'exit 0\n',
    })
  })

  it('does not end tail while it reads', async () => {
    const { url } = await fakeService((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write('retry: 1\n\n')
      setTimeout(() => response.write(event), 1_500)
    })
    // The first reader passes the pipe to the second.
    const { stdout } = await piped(`tail --project a --url ${url}`, '{ sleep 0.7; head -n 1; }')
    expect(stdout).toBe('2026-11-20T10:00:00Z  GET | one\n')
  })

  it('ends query, although the service has not answered', async () => {
    const { url } = await fakeService((request, response) => {
      if (request.url === '/api/endpoints') reply(response, { result: [{ name: 'a', parameters: [] }] })
    })
    expect((await piped(`query a --url ${url}`, 'sleep 1')).stderr).toBe('exit 0\n')
  })

  it('ends demo and its service, although there is nothing more to print', async () => {
    const reader = "sed -n -e '/^URL/p' -e '/^Serving/q'"
    const { stdout, stderr } = await piped('demo --port 0 --rows 1', reader)
    expect(stderr).toBe('exit 0\n')
    const [, url] = /^URL {4}(http:\S+)\n$/.exec(stdout)!
    await expect(fetch(url!)).rejects.toThrow('fetch failed')
  })

  it('ends demo before the records are generated', async () => {
    const { stdout, stderr } = await piped('demo --port 0', 'head -n 1')
    expect(stderr).toBe('exit 0\n')
    const [, url] = /listening on (http:\S+)\n$/.exec(stdout)!
    await expect(fetch(url!)).rejects.toThrow('fetch failed')
  })

  const tokens = () => `--tokens-file ${join(temporaryFolder(), 'tokens.json')}`
  it.each([
    ['generate --rows 1000000', () => ''],
    ['--help', () => ''],
    ['version', () => ''],
    ['completion bash', () => ''],
    ['config', () => ''],
    ['config --json', () => ''],
    ['schema clickhouse', () => ''],
    ['token list', tokens],
  ])('is no failure of %s', async (args, more) => {
    expect((await piped(`${args} ${more()}`, 'true')).stderr).toBe('exit 0\n')
  })

  it('is no failure of token create, which has made the token', async () => {
    const { stderr } = await piped(`token create ${tokens()}`, 'true')
    expect(stderr).toMatch(/^(logweir: created the token .*\n)?exit 0\n$/)
  })
})

it.each([
  '--help',
  'schema clickhouse',
  'config',
  'generate',
  'completion bash',
])('a full disk is one line and a failure of %s', async (args) => {
  const { stderr } = await piped(`${args} >/dev/full`, 'cat')
  expect(stderr).toMatch(/^logweir: .*ENOSPC.*\nexit 1\n$/)
})
