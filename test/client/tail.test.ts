import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type FollowLimits, follow, logMessage, type ServerEvent } from '../../src/client/follow.js'
import { connectService } from '../../src/client/service.js'
import { readTail, runTail } from '../../src/client/tail.js'
import { type Answer, fakeService, inTurn, refusal, reply, eventStream as stream } from './fake-service.js'

const row = (n: number, message = `GET | ${n}`) =>
  JSON.stringify({ id: `${n}`, timestamp: 1_795_168_800_000_000 + n, event_message: message, metadata: {} })

const event = (n: number, data = row(n)) => `id: ${n}\ndata: ${data}\n\n`

/** Follows a stream until `rows` rows were received or `logged` lines were logged. */
async function followed(url: string, until: { rows?: number; logged?: number }, limits: Partial<FollowLimits> = {}) {
  const [rows, logged, stop] = [[] as string[], [] as string[], new AbortController()]
  const stopIfDone = () => {
    if (rows.length >= (until.rows ?? Number.NaN) || logged.length >= (until.logged ?? Number.NaN)) stop.abort()
  }
  const service = connectService({ url, token: 'open', dataDir: '.' })
  const log = (line: string) => {
    logged.push(line)
    stopIfDone()
  }
  await follow(
    {
      connect: (headers, signal) => service.get('api/tail?project=a', headers, signal),
      onEvent: async (event) => {
        if (event.event !== undefined) return logMessage(event, log)
        rows.push(JSON.parse(event.data).id)
        stopIfDone()
      },
      log,
      limits: { retryMs: 1, maxRetryMs: 4, ...limits },
    },
    stop.signal,
  )
  return { rows, logged }
}

describe('follow', () => {
  it('hands over rows in order, also those that come in pieces', async () => {
    const text = event(1) + event(2, row(2, 'ä🙂')) + event(3)
    const bytes = Buffer.from(text)
    const { url, requests } = await fakeService(async (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      for (const byte of bytes) {
        response.write(Uint8Array.of(byte))
        await new Promise(setImmediate)
      }
    })
    expect(await followed(url, { rows: 3 })).toEqual({ rows: ['1', '2', '3'], logged: [] })
    expect(requests[0]!.headers).toMatchObject({ accept: 'text/event-stream', 'x-api-key': 'open' })
    expect(requests[0]!.headers['last-event-id']).toBeUndefined()
  })

  it('goes on from the last event when the connection ends, and tells once', async () => {
    const away: Answer = (_, response) => void response.destroy()
    const { url, requests } = await inTurn(
      stream(event(1) + event(2), { ends: true }),
      away,
      refusal(503, 'starting'),
      away,
      stream(event(3)),
    )
    const { rows, logged } = await followed(url, { rows: 3 })
    expect(rows).toEqual(['1', '2', '3'])
    expect(logged).toEqual(['the service ended the stream. Trying again.', 'connected again.'])
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '2', '2', '2'])
  })

  it('can be stopped while it handles the last event of a stream that has ended', async () => {
    const { url } = await inTurn(stream(event(1), { ends: true }))
    for (let count = 1; count <= 5; count++) {
      const { rows } = await followed(url, { rows: count })
      expect(rows).toEqual(Array(count).fill('1'))
    }
  })

  it('does not take half an event for one', async () => {
    const half = event(2).slice(0, -10)
    const { url, requests } = await inTurn(stream(event(1) + half, { ends: true }), stream(event(2)))
    expect((await followed(url, { rows: 2 })).rows).toEqual(['1', '2'])
    expect(requests[1]!.headers['last-event-id']).toBe('1')
  })

  it('waits for a service that starts', async () => {
    const { url } = await inTurn(refusal(503, 'starting'), refusal(429, 'too_many_requests'), stream(event(1)))
    const { rows, logged } = await followed(url, { rows: 1 })
    expect(rows).toEqual(['1'])
    expect(logged).toEqual([`${url}: Not now. (starting) Trying again.`, 'connected again.'])
  })

  it('tells what the service says besides rows', async () => {
    const gap = 'event: gap\ndata: {"error":"Records were passed over.","code":"gap"}\n\n'
    const dropped = 'event: dropped\ndata: {"error":{"message":"Too slow.","code":"slow_reader"}}\n\n'
    const { url } = await inTurn(stream(`${gap}${event(1)}${dropped}event: x\ndata: \u001b[2J\n\n`))
    const { rows, logged } = await followed(url, { logged: 3 })
    expect(rows).toEqual(['1'])
    expect(logged).toEqual([
      'Records were passed over. (gap)',
      'Too slow. (slow_reader)',
      'the service says x: \\u001b[2J',
    ])
  })

  it('counts a silent connection as lost', async () => {
    const { url } = await inTurn(stream(event(1)), stream(event(2)))
    const { rows, logged } = await followed(url, { rows: 2 }, { silentMs: 50 })
    expect(rows).toEqual(['1', '2'])
    expect(logged).toEqual(['the service sent nothing for 0.05 s. Trying again.', 'connected again.'])
  })

  it.each([
    [
      'a token that is none of its own',
      refusal(401, 'unauthorized'),
      /does not know the token of LOGWEIR_TOKEN \(unauthorized\)\. /,
    ],
    ['a wrong parameter', refusal(400, 'missing_parameter'), /Not now\. \(missing_parameter\)/],
    ['a service without it', refusal(404, 'not_found'), /Not now\. \(not_found\)/],
    [
      'what is no stream',
      (_: unknown, response: ServerResponse) => reply(response, {}),
      /answers with the media type application\/json instead of a stream of events/,
    ],
    ['an event without an end', stream(`data: ${'x'.repeat(2_000)}`), /an event is too long/],
  ])('gives up on %s', async (_, answer, message) => {
    const { url } = await inTurn(answer)
    const failed = followed(url, { rows: 1 }, { maxEventCharacters: 1_000 })
    await expect(failed).rejects.toThrow(message)
    await expect(failed).rejects.toMatchObject({ code: 'service' })
  })

  it('gives up where nobody listens from the start', async () => {
    await expect(followed('http://127.0.0.1:1', { rows: 1 })).rejects.toThrow(/^cannot reach a service at /)
  })

  it('takes no more while a row is being written, and ends with what that fails with', async () => {
    const { url } = await inTurn(stream(event(1) + event(2)))
    const service = connectService({ url, token: 'open', dataDir: '.' })
    let running = 0
    const onEvent = async ({ data }: ServerEvent) => {
      expect(++running).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running--
      if (data.includes('"2"')) throw Object.assign(new Error('gone'), { code: 'EPIPE' })
    }
    const connect = (headers: Record<string, string>, signal: AbortSignal) => service.get('', headers, signal)
    const failed = follow({ connect, onEvent, log: () => {} }, new AbortController().signal)
    await expect(failed).rejects.toMatchObject({ code: 'EPIPE' })
  })
})

describe('logweir tail', () => {
  /** Runs the command until `rows` rows are written. Returns the output and the URL of the first request. */
  async function tailed(flags: readonly string[], text: string, rows: number, isTerminal = false) {
    const { url, requests } = await inTurn(stream(text))
    const config = readTail([...flags, '--url', url], { LOGWEIR_TOKEN: 'open' }, () => {})
    const [pieces, stop] = [[] as string[], new AbortController()]
    const write = async (piece: string) => {
      if (pieces.push(piece) === rows) stop.abort()
    }
    await runTail(config, { write, isTerminal }, () => {}, stop.signal)
    return { output: pieces.join(''), requested: requests[0]!.url! }
  }

  /** Returns the output of the command for some events of a project. */
  async function written(line: string, text: string, rows: number, isTerminal = false): Promise<string> {
    const { output, requested } = await tailed(line.split(' '), text, rows, isTerminal)
    expect(requested).toBe('/api/tail?project=a%26b')
    return output
  }

  it('requests the rows that the flags name', async () => {
    const filter = '[[{"field":"status","op":">=","value":400},{"field":"level","op":"=","value":"error"}]]'
    const flags = ['--project', 'a&b', '--source', 'gotrue.logs.prod', '--filter', filter, '--search', 'a+b & c']
    const { requested } = await tailed(flags, event(1), 1)
    const { pathname, searchParams } = new URL(requested, 'http://localhost')
    expect(pathname).toBe('/api/tail')
    expect(Object.fromEntries(searchParams)).toEqual({ project: 'a&b', source: 'auth_logs', filter, search: 'a+b & c' })
  })

  it('leaves the project to the service if no flag names one', async () => {
    const { requested } = await tailed(['--source', 'auth_logs'], event(1), 1)
    expect(requested).toBe('/api/tail?source=auth_logs')
  })

  it('says how to name a project if the service has no default', async () => {
    const missing = 'The parameter "project" is missing or empty. Give it a value: ?project=…'
    const answer = (_: unknown, response: ServerResponse) => {
      response.writeHead(400, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ error: missing, code: 'missing_parameter' }))
    }
    const { url } = await inTurn(answer, answer)
    const failed = (...flags: string[]) => {
      const config = readTail([...flags, '--url', url], { LOGWEIR_TOKEN: 'open' }, () => {})
      return runTail(config, { write: async () => {}, isTerminal: false }, () => {}, new AbortController().signal)
    }
    const message = `${url}: ${missing} (missing_parameter)`
    await expect(failed()).rejects.toThrow(`${message} Here: logweir tail --project PROJECT`)
    await expect(failed('--project', 'a')).rejects.toMatchObject({ code: 'service', message })
  })

  it('writes time and message, which cannot drive a terminal', async () => {
    expect(await written('--project a&b', event(1) + event(2, row(2, 'x\u001b[2J\ny')), 2)).toBe(
      '2026-11-20T10:00:00.000001Z  GET | 1\n2026-11-20T10:00:00.000002Z  x\\u001b[2J\\ny\n',
    )
  })

  it('writes whole rows, a line each', async () => {
    const spread = `id: 2\ndata: {"id":"2",\ndata: "metadata":{"a":1.0}}\n\n`
    const csi = row(3, '\u009b2J')
    const text = event(1) + spread + event(3, csi)
    const lines = [row(1), '{"id":"2", "metadata":{"a":1.0}}']
    expect(await written('--project a&b --format ndjson', text, 3)).toBe([...lines, csi, ''].join('\n'))
    const shown = await written('--project a&b --format ndjson', text, 3, true)
    expect(shown).toBe([...lines, csi.replace('\u009b', '\\u009b'), ''].join('\n'))
  })

  it('gives up on what is no row', async () => {
    await expect(written('--project a&b', 'data: {"id":1}\n\n', 1)).rejects.toThrow(
      'the service sent an event that is not a row. Is it another version?',
    )
  })

  it.each([
    ['logs.all --project a', 'unexpected argument "logs.all". Try: logweir --help'],
    ['--project a --format csv', '--format: "csv" is not one of text, ndjson.'],
    ['--project a --source Edge', '--source: "Edge" is not a source: edge_logs, '],
    ['--project a --filter status>=500', '--filter: "status>=500" is not a list of conditions in JSON, such as '],
    ['--project a --filter {}', '--filter: "{}" is not a list of conditions in JSON, such as '],
  ])('refuses "%s"', (line, message) => {
    expect(() => readTail(line.split(' ').filter(Boolean), {}, () => {})).toThrow(message)
  })
})
