import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { readWatch, runWatch } from '../../src/client/watch.js'
import { type Answer, eventStream, fakeService, inTurn, refusal, reply } from './fake-service.js'
import { CALL, change, event, LISTING, row, snapshot, watch } from './watching.js'

const dropped = (code: string) => event('dropped', undefined, { error: 'Too slow.', code })

describe('logweir watch in a pipe', () => {
  it('writes each event on a line, with type, id and unchanged data', async () => {
    const spread = 'event: change\nid: p.2\ndata: {"upsert":[],\ndata: "delete":[[1.0]],"watermark":"p.2"}\n\n'
    const empty = 'event: other\nid: p.3\ndata: { }\n\n'
    const digits = 'event: snapshot\nid: p.1\ndata: {"result":[{"n":9007199254740993}],"watermark":"p.1"}\n\n'
    const { url, requests } = await inTurn(LISTING, eventStream(digits + spread + empty + dropped('slow_reader')))
    const { written, logged } = await watch(url, CALL, { logged: 2 })
    expect(written).toEqual([
      '{"event":"snapshot","id":"p.1","result":[{"n":9007199254740993}],"watermark":"p.1"}\n',
      '{"event":"change","id":"p.2","upsert":[], "delete":[[1.0]],"watermark":"p.2"}\n',
      '{"event":"other","id":"p.3"}\n',
      '{"event":"dropped","error":"Too slow.","code":"slow_reader"}\n',
    ])
    expect(logged).toEqual(['the service says other: { }', 'Too slow. (slow_reader)'])
    expect(requests[1]!.url).toBe('/api/endpoints/query/logs.all?project=a')
    expect(requests[1]!.headers).toMatchObject({ accept: 'text/event-stream', 'x-api-key': 'open' })
  })

  it('puts events together that come in pieces, wherever they are cut', async () => {
    const text = `${snapshot(1, [row('ä🙂', 1)])}: waiting\r\n\r\n${change(2, [row('/b', 2)], [['ä🙂']])}`
    const bytes = Buffer.from(text)
    const expected = [
      '{"event":"snapshot","id":"p.1","result":[{"path":"ä🙂","requests":1}],"key":["path"],"watermark":"p.1"}\n',
      '{"event":"change","id":"p.2","upsert":[{"path":"/b","requests":2}],"delete":[["ä🙂"]],"watermark":"p.2"}\n',
    ]
    const inPieces =
      (pieces: readonly Uint8Array[]): Answer =>
      async (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' })
        for (const piece of pieces) {
          response.write(piece)
          await new Promise(setImmediate)
        }
      }
    const cuts = [...bytes.keys()].slice(1).map((at) => [bytes.subarray(0, at), bytes.subarray(at)])
    const single = [...bytes].map((byte) => Uint8Array.of(byte))
    let pieces: readonly Uint8Array[] = []
    const { url } = await fakeService((request, response) =>
      request.url === '/api/endpoints' ? LISTING(request, response) : inPieces(pieces)(request, response),
    )
    for (pieces of [single, ...cuts]) {
      expect(await watch(url, CALL, { writes: 2 })).toEqual({ written: expected, logged: [] })
    }
  }, 60_000)

  it('goes on after the last event when the connection ends, and tells once', async () => {
    const away: Answer = (_, response) => void response.destroy()
    const { url, requests } = await inTurn(
      LISTING,
      eventStream(snapshot(1, []) + change(2, []), { ends: true }),
      away,
      refusal(503, 'starting'),
      eventStream(change(3, []) + dropped('stopping'), { ends: true }),
      eventStream(snapshot(4, [])),
    )
    const { written, logged } = await watch(url, CALL, { writes: 5 })
    expect(written.map((text) => JSON.parse(text).id)).toEqual(['p.1', 'p.2', 'p.3', undefined, 'p.4'])
    expect(logged).toEqual([
      'the service ended the stream. Trying again.',
      'connected again.',
      'Too slow. (stopping)',
      'the service ended the stream. Trying again.',
      'connected again.',
    ])
    const resumed = requests.slice(1).map(({ headers }) => headers['last-event-id'])
    expect(resumed).toEqual([undefined, 'p.2', 'p.2', 'p.2', 'p.3'])
    expect(requests.slice(1).every(({ url: requested }) => requested === requests[1]!.url)).toBe(true)
  })

  it('ends with the error of the next try after a stream that was dropped for good', async () => {
    const { url } = await inTurn(
      LISTING,
      eventStream(snapshot(1, []) + dropped('unauthorized'), { ends: true }),
      refusal(401, 'unauthorized'),
    )
    await expect(watch(url, CALL, { writes: 99 })).rejects.toThrow('does not know the token of LOGWEIR_TOKEN')
  })

  it('writes tables one below the other by --format table and --columns', async () => {
    const events = snapshot(1, [row('/a', 1)]) + change(2, [row('/b', 22)], [['/a']])
    const { url } = await inTurn(LISTING, eventStream(events), LISTING, eventStream(events))
    const whole = await watch(url, `${CALL} --format table`, { writes: 3 })
    expect(whole.written.join('')).toBe('path  requests\n/a           1\n\npath  requests\n/b          22\n')
    const chosen = await watch(url, `${CALL} --columns requests`, { writes: 3 })
    expect(chosen.written.join('')).toBe('requests\n       1\n\nrequests\n      22\n')
  })

  it('sends long SQL by POST, and puts the query below an error', async () => {
    const sql = `select '${'x'.repeat(20_000)}', nope(1) from edge_logs`
    const listing = { result: [{ name: 'logs.all', sandboxing: true, parameters: [{ name: 'sql' }] }] }
    const error = { error: 'There is no function nope. (line 1, column 1)', code: 'invalid_sql' }
    const { url, requests } = await inTurn(
      (_, response) => reply(response, listing),
      (_, response) => reply(response, error, undefined, 400),
    )
    const config = readWatch(['--sql', sql, '--url', url], { LOGWEIR_TOKEN: 'open' }, () => {})
    const out = { write: async () => {}, terminal: undefined, screen: undefined }
    const failed = runWatch(config, out, () => {}, new AbortController().signal)
    await expect(failed).rejects.toThrow(/There is no function nope.*\nselect 'xxx.*…\n\^$/)
    expect([requests[1]!.method, requests[1]!.url]).toEqual(['POST', '/api/endpoints/query/logs.all'])
    expect(requests[1]!.headers.accept).toBe('text/event-stream')
  })

  it('tells each warning once', async () => {
    const warned: Answer = (_, response) => {
      const warnings = JSON.stringify(['No row has "nope".'])
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Logweir-Warnings': warnings })
      response.end(`retry: 1\n\n${snapshot(1, [])}`)
    }
    const { url } = await inTurn(LISTING, warned)
    const { logged } = await watch(url, CALL, { writes: 3 })
    expect(logged.filter((message) => message.includes('nope'))).toHaveLength(1)
  })

  it.each([
    ['a token that is none of its own', refusal(401, 'unauthorized'), /does not know the token of LOGWEIR_TOKEN/],
    ['a wrong parameter', refusal(400, 'invalid_parameter'), /Not now\. \(invalid_parameter\)$/],
    [
      'a service without subscriptions',
      (_: unknown, response: ServerResponse) => reply(response, { result: [] }),
      /answers with the media type application\/json instead of a stream of events\.$/,
    ],
    ['data that is no object', eventStream('event: snapshot\ndata: [1]\n\n'), /an event that is not understood/],
    ['data that is no JSON', eventStream('event: change\ndata: {"upsert"\n\n'), /an event that is not understood/],
  ])('gives up on %s', async (_, answer, message) => {
    const { url } = await inTurn(LISTING, answer)
    const failed = watch(url, CALL, { writes: 1 })
    await expect(failed).rejects.toThrow(message)
    await expect(failed).rejects.toMatchObject({ code: 'service' })
  })

  it('waits for a service with too many subscribers', async () => {
    const { url } = await inTurn(LISTING, refusal(503, 'overloaded'), eventStream(snapshot(1, [])))
    const { written, logged } = await watch(url, CALL, { writes: 1 })
    expect(written).toHaveLength(1)
    expect(logged).toEqual([`${url}: Not now. (overloaded) Trying again.`, 'connected again.'])
  })

  it('ends without an error when it is stopped, also before the first answer', async () => {
    for (const answers of [[LISTING, eventStream('')], [LISTING, () => {}], [() => {}]] as Answer[][]) {
      const { url, requests } = await inTurn(...answers)
      const config = readWatch([...CALL.split(' '), '--url', url], { LOGWEIR_TOKEN: 'open' }, () => {})
      const stop = new AbortController()
      const out = { write: async () => {}, terminal: undefined, screen: undefined }
      const ended = runWatch(config, out, () => {}, stop.signal)
      await expect.poll(() => requests.length).toBe(answers.length)
      stop.abort()
      expect(await ended).toBeUndefined()
    }
  })

  it('ends with the error of a reader that has left', async () => {
    const { url } = await inTurn(LISTING, eventStream(snapshot(1, [])))
    const write = () => Promise.reject(Object.assign(new Error('gone'), { code: 'EPIPE' }))
    await expect(watch(url, CALL, { writes: 1 }, { write })).rejects.toMatchObject({ code: 'EPIPE' })
  })
})

describe('readWatch', () => {
  it.each([
    ['', 'watch which endpoint? logweir watch ENDPOINT; logweir query lists them.'],
    ['--project a', 'watch which endpoint? '],
    ['logs.all extra', 'unexpected argument "extra". Try: logweir watch --help'],
    ['logs.all --format csv', '--format: "csv" is not one of table, ndjson.'],
    ['logs.all --columns a --format ndjson', '--columns is for tables, not for --format ndjson.'],
    ['logs.all --project', '--project needs a value: --project VALUE.'],
  ])('refuses "%s"', (line, message) => {
    const refused = () => readWatch(line.split(' ').filter(Boolean), {}, () => {})
    expect(refused).toThrow(message)
    expect(refused).toThrow(expect.objectContaining({ code: 'usage' }))
  })

  it.each([
    ['logs.al --project a', 'unknown endpoint "logs.al". Did you mean logs.all?'],
    ['logs.all --projct a', 'unknown flag --projct. Did you mean --project?'],
    ['logs.all --columms a', 'unknown flag --columms. Did you mean --columns?'],
  ])('the service decides on "%s"', async (line, message) => {
    const { url } = await inTurn(LISTING)
    await expect(watch(url, line, { writes: 1 })).rejects.toThrow(message)
  })

  it('takes the project of a variable if the endpoint requires one', async () => {
    const listing = {
      result: [{ name: 'own', parameters: [{ name: 'project', required: true, description: '' }] }],
    }
    const { url, requests } = await inTurn((_, response) => reply(response, listing), eventStream(snapshot(1, [])))
    const config = readWatch(['own', '--url', url], { LOGWEIR_TOKEN: 'open', LOGWEIR_PROJECT: 'b' }, () => {})
    const stop = new AbortController()
    const out = { write: async () => stop.abort(), terminal: undefined, screen: undefined }
    await runWatch(config, out, () => {}, stop.signal)
    expect(requests[1]!.url).toBe('/api/endpoints/query/own?project=b')
  })
})
