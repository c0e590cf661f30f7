import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../../../src/endpoints/index.js'
import { answerColumns } from '../../../src/plan/answer.js'
import { READERS, readJsonRows } from '../../http/readers.js'
import { bodyOf, exchange, statusLines } from '../../support/raw-http.js'
import { serve } from '../support/program.js'
import { dialer, getText } from '../support/raw.js'
import { type AtEnd, startForSuite } from '../support/suite.js'

const LOGS = '/api/endpoints/query/logs.all?project=a'
const COUNTS = '/api/endpoints/query/usage.api-counts?project=a&interval=daily'

/** Pretty-printed, so that the metadata has line breaks between tokens. */
const RECORDS = JSON.stringify(
  Array.from({ length: 20 }, (_, i) => ({
    id: `${i}`,
    project: 'a',
    event_message: `"${i}",\r\n=1+1`,
    metadata: { n: i, text: 'x\ny', request: { url: 'https://a.co/rest/v1', path: '/rest/v1' } },
  })),
  undefined,
  2,
)

/** Starts a service with the records. */
async function filled(atEnd: AtEnd) {
  const service = await serve([], { stdin: 'ignore', atEnd })
  const headers = { 'Content-Type': 'application/json' }
  const taken = await service.get('/logs?source=edge_logs', { method: 'POST', body: RECORDS, headers })
  expect(await taken.json()).toEqual({ message: 'Logged!' })
  return service
}

function columnsFor(path: string) {
  const { call } = ENDPOINTS.find(({ name }) => path.includes(name))!
  return answerColumns(call(new URL(path, 'http://localhost').searchParams).plan(0))
}

describe('the formats of answers', () => {
  const service = startForSuite(filled)

  it('hold the rows that JSON holds', async () => {
    const { get } = service()
    for (const [path, rows] of [
      [LOGS, 20],
      [COUNTS, 1],
    ] as const) {
      const bytesOf = async (accept: string) =>
        new Uint8Array(await (await get(path, { headers: { Accept: accept } })).arrayBuffer())
      const json = readJsonRows(await bytesOf('*/*'), [])
      expect(json.length).toBe(rows)
      for (const { name, accept, read } of READERS) {
        expect([path, name, read(await bytesOf(accept), columnsFor(path))]).toEqual([path, name, json])
      }
    }
  })

  it('tell what they cost, and are not sent again to who has them', async () => {
    const dial = dialer(service())
    for (const { accept } of READERS) {
      for (const path of [LOGS, COUNTS]) {
        const first = await service().get(path, { headers: { Accept: accept, 'Cache-Control': 'no-cache' } })
        expect(first.headers.get('server-timing')).toMatch(
          /^cache;desc=\w+, engine;dur=[\d.]+, rows;desc="20", pruned;desc="0 of 1"$/,
        )
        const ask = [`Accept: ${accept}`, `If-None-Match: ${first.headers.get('etag')}`, 'Connection: close']
        const again = await exchange(dial, getText(path, ...ask))
        expect([statusLines(again), bodyOf(again)]).toEqual([['HTTP/1.1 304 Not Modified'], ''])
        expect(`${again}`).not.toMatch(/^(content-length|transfer-encoding|content-type)/im)
        const length = first.headers.get('content-length')
        const head = await service().get(path, { method: 'HEAD', headers: { Accept: accept } })
        expect(head.headers.get('content-length') ?? 'coded').toBe(length ?? 'coded')
      }
    }
  })
})
