import { describe, expect, it } from 'vitest'
import { LLHTTP_BROKEN_BODIES, LLHTTP_REFUSED } from '../../http/llhttp-cases.js'
import { BROKEN_BODIES, type RawCase, REFUSED, SERVED } from '../../http/malformed-cases.js'
import { exchange, statusLines } from '../../support/raw-http.js'
import { serve } from '../support/program.js'
import { dialer, getText } from '../support/raw.js'

/** Follows each case: a valid request with the token, which must never be answered. */
const GLUED = getText('/api/endpoints/query/logs.all?project=glued', 'Connection: close')

/** Sends each case to the program. Returns the status lines until the program closes the connection. */
async function hear(cases: readonly RawCase[], glued: string) {
  const service = await serve([], { stdin: 'ignore' })
  const dial = dialer(service)
  const heard = await Promise.all(
    cases.map(async ([what, text]) => {
      const lines = statusLines(await exchange(dial, Buffer.from(text + glued, 'latin1')))
      return [what, ...lines]
    }),
  )
  const queries = await service.metric('logweir_queries_total{endpoint="logs.all",outcome="ok"}')
  return { heard, queries, said: service.stderrText() }
}

const expected = (cases: readonly RawCase[], line: string) => cases.map(([what]) => [what, `HTTP/1.1 ${line}`])

const ANSWERED = [
  'S3: the glued request is answered where nothing is wrong before it,',
  'so that the tests above can fail',
].join(' ')

describe('S3: on raw sockets, with a request glued behind', () => {
  it.each([
    ['what is not well formed is refused and closed, once', [...REFUSED, ...LLHTTP_REFUSED], '400 Bad Request'],
    ['a body that is broken ends the connection', [...BROKEN_BODIES, ...LLHTTP_BROKEN_BODIES], '401 Unauthorized'],
  ])('S3: %s, and nothing is asked', async (_, cases, line) => {
    const { heard, queries, said } = await hear(cases, GLUED)
    expect(heard).toEqual(expected(cases, line))
    expect(queries).toBeNaN()
    expect(said).not.toContain('error')
  })

  it('S3: what is odd but well formed is served', async () => {
    const { heard } = await hear(SERVED, '')
    expect(heard).toEqual(expected(SERVED, '200 OK'))
  })

  it(ANSWERED, async () => {
    const fine: RawCase = ['a request', 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n']
    const { heard, queries } = await hear([fine], GLUED)
    expect(heard).toEqual([['a request', 'HTTP/1.1 200 OK', 'HTTP/1.1 200 OK']])
    expect(queries).toBe(1)
  })
})
