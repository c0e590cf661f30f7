import { describe, expect, it } from 'vitest'
import { bodyOf, exchange, statusLines } from '../../support/raw-http.js'
import { serve } from '../support/program.js'
import { dialer, getText } from '../support/raw.js'

const STATS = '/api/endpoints/query/functions.invocation-stats'

/** Each query string means the project `a`. */
const ALIKE = [
  'project=a',
  '%70roject=%61',
  'x=1&project=a',
  'project=a&x=1&x=2',
  'project=a&interval=&function_id=',
  'interval=1day&project=a',
  'interval=nonsense&project=a',
  'project=a&project[]=b&function_id[]=c',
  'project=a&__proto__=b&constructor=c&__proto__[function_id]=d&toString=e',
  `project=a&x=${'y'.repeat(20_480)}`,
  'project=a&x=%00%ff%zz',
  '&&project=a&=&',
]

/** Each is ordinary text, with a cache entry of its own. */
const TEXTS = ['project=a%00', 'project=%zz', 'project=%ff', 'project=__proto__', `project=${'y'.repeat(20_480)}`]

const REFUSED = [
  ['', 'missing_parameter'],
  ['project=', 'missing_parameter'],
  ['project[]=a', 'missing_parameter'],
  ['Project=a', 'missing_parameter'],
  ['__proto__[project]=a', 'missing_parameter'],
  ['project=a&project=a', 'duplicate_parameter'],
  ['project=a&%70roject=b', 'duplicate_parameter'],
  ['project=a&interval=1day&interval=', 'duplicate_parameter'],
]

/** Returns a function that sends raw query strings in turn. */
async function asker() {
  const service = await serve([], { stdin: 'ignore' })
  const dial = dialer(service)
  const ask = (query: string) => exchange(dial, getText(`${STATS}?${query}`, 'Connection: close'))
  return { ...service, ask }
}

describe('S4: parameters', () => {
  it('S4: order, spelling and unknown names make no second entry of the cache', async () => {
    const { ask, metric } = await asker()
    for (const query of ALIKE) {
      const heard = await ask(query)
      expect([query, ...statusLines(heard)]).toEqual([query, 'HTTP/1.1 200 OK'])
      expect(bodyOf(heard)).toBe('{"result":[]}')
    }
    expect(await metric('logweir_cache_entries')).toBe(1)
    expect(await metric('logweir_cache_misses_total{endpoint="functions.invocation-stats"}')).toBe(1)
  })

  it('S4: odd characters and lengths are text', async () => {
    const { ask, metric } = await asker()
    for (const query of TEXTS) expect([query, ...statusLines(await ask(query))]).toEqual([query, 'HTTP/1.1 200 OK'])
    expect(await metric('logweir_cache_entries')).toBe(TEXTS.length)
  })

  it('S4: what is missing or given twice is refused by its code, and kept nowhere', async () => {
    const { ask, metric } = await asker()
    for (const [query, code] of REFUSED) {
      const heard = await ask(query!)
      expect([query, ...statusLines(heard)]).toEqual([query, 'HTTP/1.1 400 Bad Request'])
      expect(JSON.parse(bodyOf(heard))).toEqual({ error: expect.any(String), code })
    }
    expect(await metric('logweir_cache_entries')).toBe(0)
  })
})
