import { describe, expect, it } from 'vitest'
import { endpoint } from '../../src/endpoints/endpoint.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { text } from '../../src/endpoints/params.js'
import { scan } from '../../src/plan/builder.js'
import { API_COUNTS, createTestApp, pass, settle } from './support.js'

/** Returns a new endpoint of the same id. The plan says the version of the endpoint. */
function own(version: number, name = 'own.one') {
  const plan = () =>
    scan('edge_logs', { fromUs: version, throughUs: version }).select('id').orderBy('timestamp', 'desc').limit(1)
  const id = '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a01'
  const cache = { ttlS: 60, warmS: 30 }
  return endpoint({ id, name, maxRows: 1, cache, params: { project: text('') }, query: 'select 1', plan })
}

const OWN = '/api/endpoints/query/own.one?project=a'
const row = (id: string) => [{ id }]

function startWith(version: number) {
  const test = createTestApp({ endpoints: [...ENDPOINTS, own(version)] })
  const replace = (...endpoints: ReturnType<typeof own>[]) => test.app.replaceEndpoints([...ENDPOINTS, ...endpoints])
  const versionOf = (run: number) => (test.engine.runs[run]!.plan[0] as { fromUs: number }).fromUs
  const ask = async (path: string) => {
    const response = await test.get(path)
    return [response.headers.get('cache-status')?.split(';')[1], await response.text()]
  }
  const entries = async () => (await test.metrics.cacheEntries.get()).values[0]!.value
  return { ...test, entries, replace, versionOf, ask }
}

describe('endpoints that are replaced', () => {
  it('are listed and had anew, and answers of before are not', async () => {
    const { engine, entries, replace, versionOf, ask, get } = startWith(1)
    const first = ask(OWN)
    await settle()
    engine.runs[0]!.finish(row('before'))
    expect(await first).toEqual([' fwd=miss', '{"result":[{"id":"before"}]}'])
    expect(await ask(OWN)).toEqual([' hit', '{"result":[{"id":"before"}]}'])

    expect(await entries()).toBe(1)
    replace(own(2))
    expect(await entries()).toBe(0)
    const second = ask(OWN)
    await settle()
    engine.runs[1]!.finish(row('after'))
    expect(await second).toEqual([' fwd=miss', '{"result":[{"id":"after"}]}'])
    expect([versionOf(0), versionOf(1)]).toEqual([1, 2])

    replace(own(3, 'own.two'))
    expect((await get(OWN)).status).toBe(404)
    const listed = (await (await get('/api/endpoints')).json()) as { result: { name: string }[] }
    expect(listed.result.map(({ name }) => name)).toEqual([...ENDPOINTS.map(({ name }) => name), 'own.two'])
  })

  it('end what was asked of them, and keep nothing of it', async () => {
    const { engine, entries, replace, versionOf, ask, clock } = startWith(1)
    const before = ask(OWN)
    await settle()
    replace(own(2))
    const after = ask(OWN)
    await settle()
    expect([versionOf(0), versionOf(1)]).toEqual([1, 2])
    engine.runs[1]!.finish(row('after'))
    expect((await after)[1]).toBe('{"result":[{"id":"after"}]}')
    engine.runs[0]!.finish(row('before'))
    expect(await before).toEqual([' fwd=miss', '{"result":[{"id":"before"}]}'])
    expect(await ask(OWN)).toEqual([' hit', '{"result":[{"id":"after"}]}'])
    expect(await entries()).toBe(1)
    await pass(clock, 31)
    expect(engine.runs.slice(2).length).toBe(1)
    expect(versionOf(2)).toBe(2)
  })

  it('leave others and their answers alone', async () => {
    const { engine, replace, ask } = startWith(1)
    const counts = `${API_COUNTS}?project=a&interval=daily`
    const asked = ask(counts)
    await settle()
    engine.runs[0]!.finish([])
    await asked
    replace()
    expect(await ask(counts)).toEqual([' hit', '{"result":[]}'])
  })
})
