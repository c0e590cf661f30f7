import { describe, expect, it } from 'vitest'
import { SECOND_US } from '../../../src/base/units.js'
import { allSources } from '../../../src/common/sources.js'
import { appendAll } from '../../support/engine.js'
import { edge } from '../../support/records.js'
import { pass, readReply, settle, TOKEN } from '../support.js'
import { createTailApp, notices } from './support.js'

const filterOf = (...conditions: object[]) => JSON.stringify(conditions)
const FAILED = filterOf({ field: 'response.status_code', op: '>=', value: 500 })
const status = (status_code: unknown) => ({ response: { status_code } })

const errorOf = async (reply: Response | Promise<Response>) => {
  const { status, body } = await readReply(reply)
  return [status, JSON.parse(body).code, JSON.parse(body).error]
}

describe('a tail of other rows', () => {
  it.each(allSources())('has the records of $name alone, by its name and its alias', async ({ name, alias }) => {
    const { engine, clock, tail } = createTailApp()
    const append = async (id: string) => {
      const records = allSources().flatMap((source) =>
        ['a', 'b'].map((project) => {
          const more = { id: `${project} ${source.name} ${id}`, project, timestampUs: clock.nowUs() }
          return { ...edge(more), source: source.name }
        }),
      )
      await appendAll(engine, records)
      await settle()
    }
    await append('old')
    const readers = [await tail(undefined, 'a', { source: name })]
    if (alias !== undefined) readers.push(await tail(undefined, 'a', { source: alias }))
    await append('new')
    for (const reader of readers) expect(reader.ids()).toEqual([`a ${name} old`, `a ${name} new`])
    if (name === 'edge_logs') expect((await tail()).ids()).toEqual([`a ${name} old`, `a ${name} new`])
  })

  it('has the records that pass a filter and a search: the newest ten, then those that arrive', async () => {
    const { bring, tail } = createTailApp()
    const old = Array.from({ length: 40 }, (_, i) => ({ id: `${i}`, metadata: status(i % 2 === 0 ? 500 : 200) }))
    await bring(...old)
    const failed = await tail(undefined, 'a', { filter: FAILED })
    const searched = await tail(undefined, 'a', { search: 'Denied', filter: FAILED })
    const alternatives = [
      { field: 'response.status_code', op: 'in', value: [404, 405] },
      { field: 'id', op: '=', value: 'z' },
    ]
    const either = await tail(undefined, 'a', { filter: JSON.stringify([alternatives]) })
    await bring(
      { id: 'x', metadata: status(503), event_message: 'login DENIED' },
      { id: 'y', metadata: status(404), event_message: 'denied' },
      { id: 'z', metadata: status('502') },
      { id: 'b', metadata: status(500), project: 'b', event_message: 'denied' },
    )
    await bring({ id: 'late', metadata: status(500), timestampUs: 7 })
    expect(either.ids()).toEqual(['y', 'z'])
    expect(failed.ids()).toEqual(['20', '22', '24', '26', '28', '30', '32', '34', '36', '38', 'x', 'z', 'late'])
    expect(searched.ids()).toEqual(['x'])
  })

  it('that has no record at all stays open, and is said to be alive', async () => {
    const { bring, tail, clock, value } = createTailApp()
    const reader = await tail(undefined, 'a', { search: 'nobody writes this' })
    await bring({ id: '1' })
    await pass(clock, 31)
    expect(reader.stream()).toMatchObject({ events: [], comments: ['logweir', 'keep-alive', 'keep-alive'] })
    expect([await value('tailsOpen'), notices(reader)]).toEqual([1, []])
  })

  it('shares nothing with a tail of the same project, but one subscription with a tail of the same rows', async () => {
    const { engine, tail, bring } = createTailApp()
    const followed: unknown[] = []
    const { follow } = engine
    engine.follow = (query, listener) => {
      followed.push(query.where === undefined ? query.source : 'filtered')
      return follow(query, listener)
    }
    const app = createTailApp({ engine })
    const readers = []
    for (const more of [{}, {}, { filter: FAILED }, { filter: FAILED }, { filter: '[]' }, { source: 'auth_logs' }]) {
      readers.push(await app.tail(undefined, 'a', more as Record<string, string>))
    }
    await bring({ id: '1', metadata: status(500) }, { id: '2' })
    expect(readers.map((reader) => reader.ids())).toEqual([['1', '2'], ['1', '2'], ['1'], ['1'], ['1', '2'], []])
    expect(followed).toEqual(['edge_logs', 'filtered', 'edge_logs', 'auth_logs'])
    await (await tail()).leave()
  })

  it('with a token that is bound to projects is for one of those', async () => {
    const tokens = [TOKEN, { token: 'bound', projects: new Set(['b']) }]
    const { get, bring, clock } = createTailApp({ tokens })
    const as = (project: string) =>
      get(`/api/tail?project=${project}&source=edge_logs&search=x`, { headers: { 'X-API-KEY': 'bound' } })
    expect((await as('a')).status).toBe(403)
    const response = await as('b')
    const filter = filterOf({ field: 'project', op: '=', value: 'a' })
    const other = await get(`/api/tail?${new URLSearchParams({ project: 'b', filter })}`, {
      headers: { 'X-API-KEY': 'bound' },
    })
    await settle()
    await bring({ id: 'mine', project: 'b', event_message: 'x' }, { id: 'other', event_message: 'x' })
    await pass(clock, 15)
    const [text, nothing] = await Promise.all([response, other].map(readSoFar))
    expect([text!.includes('"mine"'), text!.includes('"other"'), nothing!.includes('data:')]).toEqual([
      true,
      false,
      false,
    ])
  })
})

/** Returns the text that a stream has sent so far, and cancels the stream. */
async function readSoFar(response: Response): Promise<string> {
  const reader = response.body!.getReader()
  let text = ''
  void (async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += Buffer.from(read.value)
  })().catch(() => {})
  await settle()
  await reader.cancel()
  return text
}

describe('its parameters', () => {
  it.each([
    ['source=nginx', 'invalid_parameter'],
    ['source=auth_logs&source=auth_logs', 'duplicate_parameter'],
    ['filter=%7B%7D', 'invalid_parameter'],
    ['filter=[]&filter=[]', 'duplicate_parameter'],
    ['search=a&search=b', 'duplicate_parameter'],
    [`filter=${encodeURIComponent(filterOf({ field: 'a', op: '~', value: 1 }))}`, 'invalid_parameter'],
    [`filter=${encodeURIComponent(filterOf({ field: 'a', op: 'matches', value: '(' }))}`, 'invalid_pattern'],
  ])('%s get an error before the stream begins', async (search, code) => {
    const { get, value } = createTailApp()
    expect((await errorOf(get(`/api/tail?project=a&${search}`))).slice(0, 2)).toEqual([400, code])
    expect(await value('tailsOpen')).toBe(0)
  })

  it('that are empty count as absent', async () => {
    const { get } = createTailApp()
    const response = await get('/api/tail?project=a&source=&filter=&search=')
    expect(response.status).toBe(200)
    await response.body!.cancel()
  })
})

describe('Last-Event-ID', () => {
  const FILTERED = { filter: FAILED, search: 'x' }
  const OTHERS: [string, Record<string, string>][] = [
    ['another source', { ...FILTERED, source: 'auth_logs' }],
    ['another filter', { ...FILTERED, filter: filterOf({ field: 'response.status_code', op: '>=', value: 501 }) }],
    ['no filter', { search: 'x' }],
    ['another search', { ...FILTERED, search: 'y' }],
    ['no search', { filter: FAILED }],
    ['all edge records', {}],
    ['another project', { ...FILTERED, project: 'b' }],
  ]

  it('of other rows is refused, with its place in memory and without', async () => {
    const { tail, bring, get } = createTailApp()
    await bring({ id: 'old', metadata: status(500), event_message: 'x' })
    const reader = await tail(undefined, 'a', FILTERED)
    await bring({ id: 'new', metadata: status(500), event_message: 'x' })
    const ids = reader.stream().events.map(({ lastEventId }) => lastEventId)
    expect(ids.map((id) => id.split('.').length)).toEqual([2, 4])
    for (const [, more] of OTHERS) {
      for (const id of ids) {
        const search = new URLSearchParams({ project: 'a', ...more })
        const [status, code, error] = await errorOf(get(`/api/tail?${search}`, { headers: { 'Last-Event-ID': id } }))
        expect([status, code, error]).toEqual([
          400,
          'invalid_last_event_id',
          'Last-Event-ID is of another project, source, filter or search. Send an id of this tail, or none.',
        ])
      }
    }
    expect((await tail(ids[0], 'a', FILTERED)).ids()).toEqual(['new'])
    expect((await tail(ids[1], 'a', FILTERED)).ids()).toEqual([])
  })

  it('of all edge records is refused by a tail with a filter, as of this version and of earlier ones', async () => {
    const { tail, bring, get, clock } = createTailApp()
    await bring({ id: '1' })
    const reader = await tail()
    await bring({ id: '2' })
    const ids = reader.stream().events.map(({ lastEventId }) => lastEventId)
    const earlier = ids.map((id) => id.replace(/-[0-9a-f]+/, ''))
    for (const id of [...ids, earlier[1]!]) {
      const reply = get(`/api/tail?project=a&search=x`, { headers: { 'Last-Event-ID': id } })
      expect((await errorOf(reply)).slice(0, 2)).toEqual([400, 'invalid_last_event_id'])
    }
    await pass(clock, 31)
    expect(earlier).toEqual([`${clock.nowUs() - 31 * SECOND_US}.1`, expect.stringMatching(/^\d+\.2\.[0-9a-f]{12}\.1$/)])
    expect((await tail(earlier[0])).ids()).toEqual(['2'])
    expect((await tail(earlier[1])).ids()).toEqual([])
  })

  it('may be the place of a row among those that pass: the rank counts no others', async () => {
    const { tail, bring, clock } = createTailApp()
    const timestampUs = clock.nowUs()
    const records = Array.from({ length: 6 }, (_, i) => ({ id: `${i}`, metadata: status(i % 2 === 0 ? 500 : 200) }))
    await bring(...records)
    expect((await tail(`${timestampUs}.1`, 'a', { filter: FAILED })).ids()).toEqual(['2', '4'])
    expect((await tail(`${timestampUs}.2`, 'a', { filter: FAILED })).ids()).toEqual(['4'])
    expect((await tail(`${timestampUs}.2`)).ids()).toEqual(['2', '3', '4', '5'])
  })

  it('counts all rows of its time, however many there are', async () => {
    const { tail, bring } = createTailApp()
    await bring(...Array.from({ length: 300 }, (_, i) => ({ id: `${i}` })))
    const first = await tail()
    expect(first.ids()).toEqual(Array.from({ length: 10 }, (_, i) => `${290 + i}`))
    const places = first.stream().events.map(({ lastEventId }) => Number(/\.(\d+)-/.exec(lastEventId)![1]))
    expect(places).toEqual(Array.from({ length: 10 }, (_, i) => 291 + i))
    await bring({ id: '300' })
    const second = await tail(first.stream().events[8]!.lastEventId)
    for (let i = 0; i < 100 && second.ids().length < 2; i++) await settle()
    expect(second.ids()).toEqual(['299', '300'])
  })

  it('may be the cursor of any row of logs.explore: the tail has the rows behind it', async () => {
    const { tail, bring, clock, get } = createTailApp()
    const records = Array.from({ length: 12 }, (_, i) => {
      return { id: `${i}`, metadata: status(i % 3 === 0 ? 200 : 500), timestampUs: clock.nowUs() + (i >> 2) }
    })
    await bring(...records)
    clock.advance(1)
    const search = new URLSearchParams({ project: 'a', source: 'edge_logs', filter: FAILED })
    const response = await get(`/api/endpoints/query/logs.explore?${search}`)
    const { result } = (await response.json()) as { result: { id: string; timestamp: number; rank: number }[] }
    const ids = result.map(({ id }) => id).reverse()
    expect(ids).toEqual(['1', '2', '4', '5', '7', '8', '10', '11'])
    for (const { id, timestamp, rank } of result) {
      const reader = await tail(`${timestamp}.${rank}`, 'a', { filter: FAILED })
      expect(reader.ids()).toEqual(ids.slice(ids.indexOf(id) + 1))
    }
  })
})

describe('reading stored rows', () => {
  it('for a filter takes a slot, also to find where live rows begin', async () => {
    const { engine, clock } = createTailApp()
    const follow: typeof engine.follow = async (...given) => {
      const { stop } = await engine.follow(...given)
      return { stop, run: () => new Promise(() => {}) }
    }
    const { tail, value } = createTailApp({ engine: { ...engine, follow }, clock })
    for (let i = 0; i < 3; i++) await tail(undefined, 'a', { search: `${i}` })
    expect(await value('tailsOpen')).toBe(3)
    await pass(clock, 11)
    // The third tail waited too long for one of two slots.
    expect(await value('tailsOpen')).toBe(2)
  })
})
