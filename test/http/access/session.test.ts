import { describe, expect, test } from 'vitest'
import { rate } from '../../../src/config/value-types.js'
import { createLimit } from '../../../src/tokens/limit.js'
import { createFakeClock } from '../../support/clock.js'
import { createTestApp, readReply, type TestToken } from '../support.js'

const PATH = '/api/session'
const TOKENS: TestToken[] = [
  { token: 'both' },
  { token: 'query', scopes: new Set(['query']) },
  { token: 'ingest', scopes: new Set(['ingest']) },
  { token: 'bound', projects: new Set(['b', 'a']) },
  { token: 'bound-ingest', scopes: new Set(['ingest']), projects: new Set(['c']) },
  { token: 'expired', expiresUs: 0 },
]

const open = (tokens: readonly TestToken[] = TOKENS, clock = createFakeClock()) => createTestApp({ tokens, clock })
const as = (token: string) => ({ headers: { 'X-API-KEY': token } })

describe('/api/session', () => {
  test.each([
    ['both', '{"scopes":["query","ingest"],"projects":null}'],
    ['query', '{"scopes":["query"],"projects":null}'],
    ['ingest', '{"scopes":["ingest"],"projects":null}'],
    ['bound', '{"scopes":["query","ingest"],"projects":["a","b"]}'],
    ['bound-ingest', '{"scopes":["ingest"],"projects":["c"]}'],
  ])('says what the token "%s" permits', async (token, body) => {
    const { get } = open()
    expect(await readReply(get(PATH, as(token)))).toEqual({ status: 200, body })
    const bearer = { headers: { 'X-API-KEY': '', Authorization: `Bearer ${token}` } }
    expect(await readReply(get(PATH, bearer))).toEqual({ status: 200, body })
  })

  test('says the same of a missing, a wrong, an expired token, and one in the URL: it permits nothing', async () => {
    const { get } = open()
    const answers = [as(''), as('wrong'), as('expired'), as('both, query')].map((init) => get(PATH, init))
    answers.push(get(`${PATH}?api_key=both&token=both`, as('')))
    const all = await Promise.all(
      answers.map(async (answer) => {
        const { status, headers } = await answer
        return { status, headers: [...headers], body: await (await answer).text() }
      }),
    )
    for (const one of all) expect(one).toEqual(all[0])
    expect(all[0]).toMatchObject({ status: 200, body: '{"scopes":[],"projects":[]}' })
    expect(new Map(all[0]!.headers).get('cache-control')).toBe('no-store')
  })

  test('counts towards the rate of the token', async () => {
    const clock = createFakeClock()
    const limit = createLimit(rate.read('2/s')!, clock)
    const { get } = open([{ token: 'slow', limit }], clock)
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await get(PATH, as('slow'))).status)
    expect(statuses).toEqual([200, 200, 429, 429])
    expect((await get(PATH, as('slow'))).headers.get('retry-after')).toBe('1')
    expect((await get(PATH, as('unknown'))).status).toBe(200)
  })

  test('opens nothing else to a request without a token', async () => {
    const { get } = open()
    for (const path of [`${PATH}/`, `${PATH}/x`, '/api/sessions', '/api/endpoints'])
      expect([path, (await get(path, as(''))).status]).toEqual([path, 401])
    expect((await get(PATH, { ...as(''), method: 'POST' })).status).toBe(405)
  })
})
