import { describe, expect, test } from 'vitest'
import type { MemoryShare } from '../../../src/base/memory/memory-budget.js'
import { budgetLimits } from '../../../src/base/memory/memory-budget.js'
import { MIB } from '../../../src/base/units.js'
import { createTestApp, LOGS_ALL, settle } from '../support.js'

const LIMIT_BYTES = 256 * MIB
const SHARE_BYTES = budgetLimits(LIMIT_BYTES).shareBytes
const refusedBody = (code: string) => expect.objectContaining({ code })

/** An app with an engine that gives each run to the test, with the memory of the query. */
function setup() {
  const memories: MemoryShare[] = []
  const parts = createTestApp({ memoryLimitBytes: LIMIT_BYTES })
  const { run } = parts.engine
  parts.engine.run = (plan, options = {}) => {
    memories.push(options.memory!)
    return run(plan, options)
  }
  const used = async () => {
    const text = await (await parts.get('/metrics')).text()
    return Number(/^logweir_query_bytes (\d+)$/m.exec(text)![1])
  }
  const ask = (project: number, init?: RequestInit) => parts.get(`${LOGS_ALL}?project=${project}`, init)
  return { ...parts, memories, used, ask }
}

describe('the memory of a query', () => {
  test('has the limit of the memory budget', async () => {
    const { ask, memories, engine } = setup()
    const reply = ask(1)
    await settle()
    expect(memories[0]!.limitBytes).toBe(SHARE_BYTES)
    engine.runs[0]!.finish()
    expect((await reply).status).toBe(200)
  })

  const ends: Record<string, (test: ReturnType<typeof setup>, leave: () => void) => void> = {
    'is answered': ({ engine }) => engine.runs[0]!.finish([{ n: 1 }]),
    fails: ({ engine }) => engine.runs[0]!.fail(new Error('disk')),
    'fails while its rows are read': ({ engine }) =>
      engine.runs[0]!.finish(
        (async function* () {
          yield { n: 1 }
          throw new Error('disk')
        })(),
      ),
    'is abandoned': (_, leave) => leave(),
    'takes 30 s': ({ clock }) => clock.advance(30_000),
  }
  test.each(Object.entries(ends))('comes back when the query %s', async (_, end) => {
    const parts = setup()
    const leaves = new AbortController()
    const reply = parts.ask(1, { signal: leaves.signal })
    await settle()
    parts.memories[0]!.add(20 * MIB)
    expect(await parts.used()).toBe(20 * MIB)
    end(parts, () => leaves.abort())
    await reply
    await settle()
    expect(await parts.used()).toBe(0)
  })

  test('is awaited by another large query, which is refused after 10 s with Retry-After', async () => {
    const { ask, memories, engine, clock } = setup()
    const [first, second] = [ask(1), ask(2)]
    await settle()
    for (const memory of memories) memory.add(20 * MIB)
    expect(memories[0]!.room()).toBeUndefined()
    const waiting = memories[1]!.room()!.catch((error) => engine.runs[1]!.fail(error))
    clock.advance(10_000)
    await waiting
    const refused = await second
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      503,
      '2',
      refusedBody('overloaded'),
    ])
    engine.runs[0]!.finish()
    expect((await first).status).toBe(200)
  })

  test('that is exceeded refuses the query with 400', async () => {
    const { ask, memories, engine } = setup()
    const reply = ask(1)
    await settle()
    memories[0]!.add(SHARE_BYTES + 1)
    try {
      memories[0]!.room()
    } catch (error) {
      engine.runs[0]!.fail(error)
    }
    const { status, ...refused } = await reply
    expect([status, refused]).toBeDefined()
    expect(await (await reply).json()).toEqual(refusedBody('too_much_memory'))
    expect((await reply).status).toBe(400)
  })

  test('counts the answer while it is encoded: one that is beyond its limit in memory is refused', async () => {
    const { get, engine, used } = setup()
    const reply = get('/api/endpoints/query/usage.api-counts?interval=daily&project=a')
    await settle()
    const text = 'x'.repeat(MIB)
    engine.runs[0]!.finish(Array.from({ length: 40 }, () => ({ text })))
    expect([(await reply).status, await (await reply).json(), await used()]).toEqual([
      400,
      refusedBody('too_much_memory'),
      0,
    ])
  })
})
