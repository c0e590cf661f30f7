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
    ['both', '{"scopes":["query","ingest"],"projects":null,"default_project":null}'],
    ['query', '{"scopes":["query"],"projects":null,"default_project":null}'],
    ['ingest', '{"scopes":["ingest"],"projects":null,"default_project":null}'],
    ['bound', '{"scopes":["query","ingest"],"projects":["a","b"],"default_project":null}'],
    ['bound-ingest', '{"scopes":["ingest"],"projects":["c"],"default_project":"c"}'],
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
    expect(all[0]).toMatchObject({ status: 200, body: '{"scopes":[],"projects":[],"default_project":null}' })
    expect(new Map(all[0]!.headers).get('cache-control')).toBe('no-store')
  })

  test.each([
    ['a', { both: 'a', bound: 'a', 'bound-ingest': 'c', '': null, wrong: null }],
    ['other', { both: 'other', bound: null, 'bound-ingest': 'c', '': null, wrong: null }],
  ])('says which project stands in for none, with the default "%s"', async (defaultProject, wanted) => {
    const { get } = createTestApp({ tokens: TOKENS, defaultProject })
    for (const [token, project] of Object.entries(wanted)) {
      const session = (await (await get(PATH, as(token))).json()) as { default_project: string | null }
      expect([token, session.default_project]).toEqual([token, project])
    }
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
