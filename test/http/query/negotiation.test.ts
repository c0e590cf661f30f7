import { describe, expect, test } from 'vitest'
import { negotiateQuery } from '../../../src/http/query/negotiation.js'
import { API_COUNTS, createTestApp, LOGS_ALL, readReply, refusal } from '../support.js'

const [JSON_TYPE, CSV] = ['application/json; charset=utf-8', 'text/csv; charset=utf-8']
const NDJSON = 'application/x-ndjson; charset=utf-8'
const ARROW = 'application/vnd.apache.arrow.stream'
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

const typeOf = async (path: string, accept?: string) => {
  const { get } = createTestApp({ rows: () => [] })
  const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept }
  return readReply(get(path, { headers }), 'content-type', 'vary')
}

describe('what Accept asks for', () => {
  test.each([
    [undefined, JSON_TYPE],
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    [BROWSER, JSON_TYPE],
    ['application/json', JSON_TYPE],
    ['application/json, text/plain, */*', JSON_TYPE],
    ['APPLICATION/JSON', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['application/json;charset=utf-8', JSON_TYPE],
    ['text/csv', CSV],
    ['Text/CSV; header=present', CSV],
    ['text/*', CSV],
    ['application/x-ndjson', NDJSON],
    ['application/ndjson', 'application/ndjson; charset=utf-8'],
    ['application/jsonl', 'application/jsonl; charset=utf-8'],
    [ARROW, ARROW],
    // By weight.
    ['application/json;q=0.5, text/csv', CSV],
    ['application/json, text/csv;q=0.9', JSON_TYPE],
    [`text/csv;q=0.1, ${ARROW};q=0.2`, ARROW],
    ['*/*;q=0.1, application/x-ndjson;q=0.2', NDJSON],
    ['text/csv;q=0.001', CSV],
    // Equal weights: named types before wildcards, then in order of the header.
    ['*/*, text/csv', CSV],
    ['text/*, application/json', JSON_TYPE],
    ['text/csv, application/json', CSV],
    ['application/json, text/csv', JSON_TYPE],
    // A wildcard does not permit a refused type.
    ['*/*, application/json;q=0', NDJSON],
    ['application/*;q=0, */*', CSV],
    ['*/*;q=0, text/csv', CSV],
    // One of several types is unknown.
    ['application/x-parquet, text/csv;q=0.1', CSV],
    // No valid media range.
    ['json', JSON_TYPE],
    [';;,,q=1', JSON_TYPE],
    ['text/', JSON_TYPE],
    ['*/csv', JSON_TYPE],
  ])('%s: %s', async (accept, type) => {
    for (const path of [LOGS_ALL, API_COUNTS]) {
      expect(await typeOf(`${path}?project=a`, accept)).toMatchObject({
        status: 200,
        'content-type': type,
        vary: 'Accept, Accept-Encoding',
      })
    }
  })

  test.each([
    'text/html',
    'application/xml, text/html;q=0.9',
    'application/json;q=0',
    'text/csv;q=0, image/*',
    '*/*;q=0',
    'text/cvs',
  ])('%s: none that there is, and nothing is run', async (accept) => {
    const { get, engine } = createTestApp({ rows: () => [] })
    for (const path of [LOGS_ALL, API_COUNTS]) {
      const reply = get(`${path}?project=a`, { headers: { Accept: accept } })
      expect(await readReply(reply, 'content-type', 'vary')).toEqual({
        status: 406,
        'content-type': JSON_TYPE,
        vary: 'Accept',
        body: refusal(
          'Accept names no format of this service. Name one of application/json, application/x-ndjson, ' +
            'application/ndjson, application/jsonl, text/csv, application/vnd.apache.arrow.stream, or */*.',
          'not_acceptable',
        ),
      })
    }
    expect(engine.runs).toEqual([])
  })

  test.each([
    // The type by name, and with the highest weight.
    ['text/event-stream', true],
    ['Text/Event-Stream', true],
    ['text/event-stream, */*', true],
    ['*/*, text/event-stream', true],
    ['text/event-stream;q=0.3, application/json;q=0.2', true],
    ['text/event-stream, application/json', true],
    ['application/json;q=0, text/event-stream;q=0.1', true],
    ['image/png, text/event-stream;q=0.001', true],
    // Wildcards never choose it.
    ['text/*', false],
    ['text/*, text/event-stream;q=0.5', false],
    ['*/*', false],
    ['text/event-stream;q=0, */*', false],
    ['text/event-stream;q=0.9, */*', false],
    ['application/json, text/event-stream', false],
    ['application/json;q=0.5, text/event-stream;q=0.4', false],
  ])('%s: a stream of events: %s', (Accept, isStream) => {
    expect(negotiateQuery(new Headers({ Accept })) === 'text/event-stream').toBe(isStream)
  })

  test('text/event-stream;q=0 alone is no format', () => {
    expect(() => negotiateQuery(new Headers({ Accept: 'text/event-stream;q=0' }))).toThrow('names no format')
  })

  test('by a parameter has no effect', async () => {
    const query = 'project=a&format=csv&accept=text/csv&Accept=text/csv&f=csv'
    expect(await typeOf(`${API_COUNTS}?${query}`)).toMatchObject({ 'content-type': JSON_TYPE, body: '{"result":[]}' })
  })

  test('of errors, the definitions and the rest is not looked at', async () => {
    for (const path of ['/ready', '/health', '/api/endpoints', '/nothing', LOGS_ALL, `${API_COUNTS}?project=(`]) {
      expect([path, await typeOf(path, 'text/csv')]).toMatchObject([path, { 'content-type': JSON_TYPE }])
    }
  })
})
