import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { fakeService, reply } from '../../client/fake-service.js'
import { run, start } from '../support/program.js'
import { hasTerminal, onTerminal } from '../support/terminal.js'

const row = (path: string, errors: number) => ({ path, errors })
const event = (name: string, n: number, data: object) =>
  `event: ${name}\nid: ${n}\ndata: ${JSON.stringify({ ...data, watermark: `${n}` })}\n\n`
const SNAPSHOT = event('snapshot', 1, { result: [row('/a', 3), row('/c', 1)], key: ['path'] })
const CHANGE = event('change', 2, { upsert: [row('/a', 4), row('/b', 1)], delete: [['/c']] })

const TOKEN = { LOGWEIR_TOKEN: 'open' }

/** Starts a service with an endpoint of which the test writes the streams of events. */
async function streaming(greeting = SNAPSHOT) {
  const streams: ServerResponse[] = []
  const { url } = await fakeService((request, response) => {
    if (request.url === '/api/endpoints') return reply(response, { result: [{ name: 'errors', parameters: [] }] })
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write(`retry: 1\n\n${greeting}`)
    streams.push(response)
  })
  return { url, streams }
}

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('prints events until %s ends it with 0', async (signal) => {
  const { url } = await streaming()
  const program = start(['watch', 'errors', '--url', url], { environment: TOKEN })
  const [line] = await once(program.child.stdout!, 'data')
  expect(line.toString()).toBe(
    '{"event":"snapshot","id":"1","result":[{"path":"/a","errors":3},{"path":"/c","errors":1}],' +
      '"key":["path"],"watermark":"1"}\n',
  )
  program.child.kill(signal)
  expect(await program.exit).toBe(0)
  expect(program.stderrText()).toBe('')
})

it('fails with 1 where nobody listens, and with 2 without an endpoint', async () => {
  const away = await run(['watch', 'errors', '--url', 'http://127.0.0.1:1'], { environment: TOKEN })
  expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/^logweir: cannot reach a service at .*\n$/)])
  expect((await run(['watch'], { environment: TOKEN })).code).toBe(2)
})

describe('on a terminal', () => {
  if (!hasTerminal) {
    it('needs the program script, which is not installed', () => console.warn('watch on a terminal: not tested'))
    return
  }

  const watchOn = (url: string, lines: number, environment: Record<string, string> = {}) =>
    onTerminal(`watch errors --url ${url}`, lines, { ...TOKEN, ...environment })

  it('paints the table over the last one, until Ctrl-C ends it with 0', async () => {
    const { url, streams } = await streaming()
    const { program, shows } = watchOn(url, 10)
    await shows('\u001b[K\u001b[1mpath  errors\u001b[22m\n\u001b[K/a         3\n\u001b[K/c         1\n\u001b[J')
    streams[0]!.write(CHANGE)
    await shows(
      '\u001b[3A\u001b[K\u001b[1mpath  errors\u001b[22m\n\u001b[K/a         4\n\u001b[K/b         1\n\u001b[J',
    )
    program.child.stdin!.write('\u0003')
    expect(await program.exit).toBe(0)
  })

  it('is plain with NO_COLOR, cut to the height, and in sequence if the cursor cannot be moved', async () => {
    const { url, streams } = await streaming()
    const cut = watchOn(url, 3, { NO_COLOR: '1' })
    await cut.shows('\u001b[Kpath  errors\n\u001b[K… 2 more rows\n\u001b[J')
    const dumb = watchOn(url, 3, { NO_COLOR: '1', TERM: 'dumb' })
    await expect.poll(() => streams.length).toBe(2)
    streams[1]!.write(CHANGE)
    await dumb.shows('path  errors\n/a         3\n/c         1\n\npath  errors\n/a         4\n/b         1\n')
    expect(dumb.shown()).not.toContain('\u001b')
  })
})
