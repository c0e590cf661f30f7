import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { MIB, SECOND_US } from '../../../src/base/units.js'
import type { Engine } from '../../../src/engine/engine.js'
import { TAIL_LIMITS } from '../../../src/http/tail/limits.js'
import { createTails } from '../../../src/http/tail/tail.js'
import { FULL_ACCESS } from '../../../src/tokens/access.js'
import { createFakeClock } from '../../support/clock.js'
import { openEngine } from '../../support/engine.js'
import { eventually } from '../../support/eventually.js'
import { createGate } from '../../support/gate.js'
import { createTestApp, pass, readReply, TOKEN, UNAUTHORIZED } from '../support.js'
import { createTailApp, notices } from './support.js'

/** Returns the part of an id that is valid without the channel. */
const placeOf = (lastEventId: string) => lastEventId.split('.').slice(0, 2).join('.')

/** An engine that holds the results of chosen runs of a project until `release` is called. */
function holding(isHeld: (project: string, run: number) => boolean) {
  const clock = createFakeClock()
  const engine = openEngine({ clock })
  const gate = createGate()
  const follow: typeof engine.follow = async (followed, arrived) => {
    const { run, stop } = await engine.follow(followed, arrived)
    let runs = 0
    return {
      stop,
      async run(...given) {
        const answer = run(...given)
        if (isHeld(followed.project, ++runs)) await gate.opened
        return answer
      },
    }
  }
  return { engine: { ...engine, follow, clock }, release: gate.open }
}

const SLOW = { error: expect.stringMatching(/Last-Event-ID/), code: 'slow_reader', type: 'dropped' }

describe('a tail', () => {
  it('answers at once, and keeps nobody on the way from handing it on', async () => {
    const { get } = createTailApp()
    const response = await get('/api/tail?project=a')
    const names = ['content-type', 'cache-control', 'x-accel-buffering', 'access-control-allow-origin']
    expect(names.map((name) => response.headers.get(name))).toEqual([
      'text/event-stream; charset=utf-8',
      'no-store',
      'no',
      '*',
    ])
    const { value } = await response.body!.getReader().read()
    expect(new TextDecoder().decode(value)).toBe('retry: 2000\n: logweir\n\n')
  })

  it('begins with the ten newest records, oldest first, and goes on with those that arrive', async () => {
    const { tail, bring, clock } = createTailApp()
    const old = Array.from({ length: 12 }, (_, i) => ({ id: `old ${i}`, timestampUs: clock.nowUs() - 100 + i }))
    await bring(...old, { id: 'no', project: 'b' })
    const reader = await tail()
    await bring({ id: '1', event_message: 'GET', metadata: '{"n": 1.0}' }, { id: 'no', project: 'b' })
    await bring({ id: '2' })
    expect(reader.ids()).toEqual([...old.slice(2).map(({ id }) => id), '1', '2'])
    expect(reader.stream().events.at(-2)!.data).toBe(
      `{"id":"1","timestamp":${clock.nowUs()},"event_message":"GET","metadata":{"n": 1.0}}`,
    )
  })

  it('begins with nothing that is older than a day', async () => {
    const { tail, bring, clock } = createTailApp()
    await bring({ id: 'old', timestampUs: clock.nowUs() - 86_400 * SECOND_US - 1 })
    const reader = await tail()
    await bring({ id: 'new' })
    expect(reader.ids()).toEqual(['new'])
  })

  it('shows what arrives late and what is of a time to come', async () => {
    const { tail, bring, clock } = createTailApp()
    const reader = await tail()
    await bring({ id: '1' }, { id: 'late', timestampUs: clock.nowUs() - 3_600 * SECOND_US })
    await bring({ id: 'ahead', timestampUs: clock.nowUs() + 3_600 * SECOND_US }, { id: '2' })
    expect(reader.ids()).toEqual(['1', 'late', 'ahead', '2'])
  })

  it('says every 15 s that it is alive, unless something came', async () => {
    const { tail, bring, clock } = createTailApp()
    const reader = await tail()
    await pass(clock, 31)
    expect(reader.stream().comments).toEqual(['logweir', 'keep-alive', 'keep-alive'])
    await bring({ id: '1' })
    await pass(clock, 13)
    expect(reader.stream().comments.length).toBe(3)
  })

  it('takes no place among the queries while it waits', async () => {
    const { tail, bring, get } = createTailApp({ limits: { queriesAtOnce: 1, queriesWaiting: 0, missedRows: 1 } })
    await Promise.all([tail(), tail(), tail()])
    await bring({ id: '1' })
    expect((await get('/api/endpoints/query/logs.all?project=a')).status).toBe(200)
  })
})

describe('a request for a tail', () => {
  it.each([
    ['', {}, 400, 'missing_parameter'],
    ['?project=', {}, 400, 'missing_parameter'],
    ['?project=a&project=a', {}, 400, 'duplicate_parameter'],
    ['?project=a', { 'Last-Event-ID': 'x' }, 400, 'invalid_last_event_id'],
    ['?project=a', { 'X-API-KEY': 'wrong' }, 401, 'unauthorized'],
  ])('with %j and %j is refused with %i %s', async (search, headers, status, code) => {
    const { get, value } = createTailApp()
    const response = await get(`/api/tail${search}`, { headers })
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code])
    expect(await value('tailsOpen')).toBe(0)
  })

  it('may have an empty Last-Event-ID, as a reader that has heard none yet', async () => {
    const { get } = createTailApp()
    const response = await get('/api/tail?project=a', { headers: { 'Last-Event-ID': '' } })
    expect(response.status).toBe(200)
    await response.body!.cancel()
  })

  it('is answered with the headers alone where it asks for no more', async () => {
    const { get, value } = createTailApp()
    const response = await get('/api/tail?project=a', { method: 'HEAD' })
    expect([response.status, response.body]).toEqual([200, null])
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await value('tailsOpen')).toBe(0)
    expect((await get('/api/tail', { method: 'HEAD' })).status).toBe(400)
    expect((await get('/api/tail?project=a', { method: 'POST' })).status).toBe(405)
  })

  it('is refused where there are too many already, until one has left', async () => {
    const { tail, get, value } = createTailApp({ limits: { tails: 2 } })
    const [one] = await Promise.all([tail(), tail(undefined, 'b')])
    const refused = await readReply(get('/api/tail?project=c'), 'retry-after')
    expect(refused).toMatchObject({ status: 503, 'retry-after': '2', body: expect.stringContaining('"overloaded"') })
    await one!.leave()
    const reader = await tail(undefined, 'c')
    expect(reader.stream().comments).toEqual(['logweir'])
    expect(await value('tailsOpen')).toBe(2)
  })

  it('with a token that is bound to projects is for one of those', async () => {
    const { engine, clock } = createTailApp()
    const { follow } = engine
    const parts = { follow, metrics: createMetrics(), clock, log: () => {}, limits: TAIL_LIMITS }
    const tails = createTails({ ...parts, errorForm: 'flat' })
    const access = { scopes: FULL_ACCESS.scopes, projects: new Set(['b', 'c']) }
    const ask = (project: string) =>
      tails.answer(new Request(`http://localhost/api/tail?project=${project}`), () => access)
    expect(() => ask('a')).toThrow(expect.objectContaining({ code: 'forbidden_project' }))
    expect(ask('b').status).toBe(200)
    tails.close()
  })

  it('ends when its token does, and says so', async () => {
    const clock = createFakeClock()
    const expiresUs = clock.nowUs() + 20 * SECOND_US
    const { tail, bring } = createTailApp({ clock, tokens: [{ token: TOKEN, expiresUs }] })
    const reader = await tail()
    await pass(clock, 19)
    await bring({ id: 'in time' })
    expect([reader.ids(), notices(reader)]).toEqual([['in time'], []])
    await pass(clock, 15)
    await bring({ id: 'too late' })
    expect([reader.ids(), notices(reader)]).toEqual([['in time'], [{ type: 'dropped', ...JSON.parse(UNAUTHORIZED) }]])
  })

  it('finds nothing where the engine cannot be followed', async () => {
    const { get } = createTestApp()
    expect((await get('/api/tail?project=a')).status).toBe(404)
  })
})

describe('a reader that comes back', () => {
  it('goes on where it was, late records too, as long as the channel lives', async () => {
    const { tail, bring, clock } = createTailApp()
    const reader = await tail()
    await bring({ id: '1' })
    await reader.leave()
    await bring({ id: 'late', timestampUs: clock.nowUs() - 60 * SECOND_US }, { id: '2' })
    await pass(clock, 29)
    const back = await tail(reader.stream().lastEventId)
    await bring({ id: '3' })
    expect(back.ids()).toEqual(['late', '2', '3'])
  })

  it('knows where it is before any record has come', async () => {
    const { tail, bring, clock } = createTailApp()
    await bring({ id: 'old', timestampUs: clock.nowUs() - 5 })
    const reader = await tail()
    await reader.leave()
    await bring({ id: 'late', timestampUs: clock.nowUs() - 60 * SECOND_US })
    const back = await tail(reader.stream().lastEventId)
    expect(back.ids()).toEqual(['late'])
  })

  it('goes on by time and arrival when the channel has gone, and misses what came late meanwhile', async () => {
    const { tail, bring, clock } = createTailApp()
    await bring({ id: 'old' })
    const reader = await tail()
    await bring({ id: '1' })
    await reader.leave()
    await bring({ id: 'late', timestampUs: clock.nowUs() - 60 * SECOND_US }, { id: '2' })
    await pass(clock, 31)
    await bring({ id: '3' })
    const back = await tail(reader.stream().lastEventId)
    await bring({ id: '4' })
    expect([reader.ids(), back.ids()]).toEqual([
      ['old', '1'],
      ['2', '3', '4'],
    ])
  })

  it('is not sent again what came, a moment later, while its channel was opened', async () => {
    const { engine, release } = holding((_, run) => run === 1)
    const { tail, bring, clock } = createTailApp({ clock: engine.clock, engine })
    const reader = await tail()
    clock.advance(1)
    await bring({ id: '1' })
    release()
    await eventually(() => expect(reader.ids()).toEqual(['1']))
    await bring({ id: '2' })
    expect(reader.ids()).toEqual(['1', '2'])
    expect((await tail(placeOf(reader.stream().lastEventId))).ids()).toEqual([])
  })

  it('is not sent again what came, a moment later, while it waited to read old records', async () => {
    const { engine, release } = holding((project, run) => project !== 'a' && run === 2)
    const { tail, bring, clock } = createTailApp({ clock: engine.clock, engine })
    for (const other of ['b', 'c']) await tail(undefined, other)
    await bring({ id: '1' })
    const reader = await tail()
    clock.advance(1)
    await bring({ id: '2' })
    expect(reader.ids()).toEqual([])
    release()
    await eventually(() => expect(reader.ids()).toEqual(['1', '2']))
    expect((await tail(placeOf(reader.stream().lastEventId))).ids()).toEqual([])
  })

  it('misses nothing for a record of a time to come, which may come again', async () => {
    const { tail, bring, clock } = createTailApp()
    await bring({ id: 'ahead', timestampUs: clock.nowUs() + 3_600 * SECOND_US })
    const [before] = (await tail()).stream().events
    await bring({ id: '1' })
    await pass(clock, 31)
    expect((await tail(placeOf(before!.lastEventId))).ids()).toEqual(['1', 'ahead'])
  })

  it('goes on from every single record of one that was cut off, in the old ones too', async () => {
    const { tail, bring, clock } = createTailApp()
    const nowUs = clock.nowUs()
    await bring(
      { id: '1', timestampUs: nowUs - 2 },
      { id: '2', timestampUs: nowUs - 2 },
      { id: '3', timestampUs: nowUs - 2 },
    )
    await bring({ id: '4', timestampUs: nowUs - 1 })
    const { events } = (await tail()).stream()
    for (const [i, { lastEventId }] of events.entries()) {
      expect((await tail(lastEventId)).ids()).toEqual(['1', '2', '3', '4'].slice(i + 1))
    }
    expect(events.length).toBe(4)
  })

  it('is told where more was missed than is sent again', async () => {
    const { tail, bring, clock } = createTailApp({ limits: { missedRows: 3 } })
    await bring({ id: 'before' })
    const { lastEventId } = (await tail()).stream().events[0]!
    const nowUs = clock.nowUs()
    const missed = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ id: `${i}`, timestampUs: nowUs + i + 1 }))
    clock.advance(1_000)
    await bring(...missed(3))
    const whole = await tail(lastEventId)
    expect([whole.ids(), notices(whole)]).toEqual([['0', '1', '2'], []])
    await bring({ id: '3', timestampUs: nowUs + 4 })
    const cut = await tail(lastEventId)
    expect(cut.ids()).toEqual(['1', '2', '3'])
    expect(notices(cut)).toEqual([{ type: 'gap', error: expect.any(String), code: 'gap', from: nowUs + 2 }])
    expect(cut.stream().events[0]!.type).toBe('gap')
  })

  it('is sent no more old records than so many bytes', async () => {
    const { tail, bring } = createTailApp({ limits: { caughtUpBytes: 2_500 } })
    await bring({ id: 'before' })
    const { lastEventId } = (await tail()).stream().events[0]!
    const message = 'x'.repeat(1_000)
    await bring(...['1', '2', '3', '4'].map((id) => ({ id, event_message: message })))
    const back = await tail(lastEventId)
    expect([back.ids(), notices(back).length]).toEqual([['2', '3', '4'], 1])
  })
})

describe('a reader that is too slow', () => {
  const LIMITS = { backlogBytes: 4_000, chunkBytes: 1_000, endMs: 1_000 }
  const LONG = 'x'.repeat(500)

  it('is told so, is let go of and may come back; others go on', async () => {
    const { tail, bring, get, value } = createTailApp({ limits: LIMITS })
    const fast = await tail()
    const body = (await get('/api/tail?project=a')).body!.getReader()
    await body.read()
    await body.read()
    const ids = Array.from({ length: 20 }, (_, i) => `${i}`)
    for (const id of ids) await bring({ id, event_message: LONG })
    expect([fast.ids(), await value('tailsDropped')]).toEqual([ids, 1])
    const rest = await new Response(unread(body)).text()
    expect(rest).toMatch(/event: dropped\ndata: \{"error":"Records arrive faster[^\n]*","code":"slow_reader"\}\n\n$/)
    const back = await tail(/id: ([^\n]+)\n[^\n]*\n\nevent: dropped/.exec(rest)?.[1])
    expect(back.ids().at(-1)).toBe('19')
  })

  it('is broken off where it does not take that either', async () => {
    const { app, bring, clock, value } = createTailApp({ limits: LIMITS })
    const state = { destroyed: false }
    const outgoing = {
      destroy() {
        state.destroyed = true
      },
    }
    const request = new Request('http://localhost/api/tail?project=a', { headers: { 'X-API-KEY': TOKEN } })
    const { body } = await app.fetch(request, { outgoing } as never)
    const reader = body!.getReader()
    await reader.read()
    await reader.read()
    for (let i = 0; i < 20; i++) await bring({ id: `${i}`, event_message: LONG })
    expect([state.destroyed, await value('tailsOpen')]).toEqual([false, 1])
    await pass(clock, 1)
    expect(state.destroyed).toBe(true)
    await reader.cancel()
    expect(await value('tailsOpen')).toBe(0)
  })

  it('costs no more memory than the backlog, nor do many of them, of many projects', async () => {
    const limits = { tails: 40, backlogBytes: 100_000, backlogsBytes: 300_000, receivedBurstBytes: MIB }
    const { get, bring, value } = createTailApp({ limits })
    const bodies = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => (await get(`/api/tail?project=p${i % 20}`)).body!.getReader()),
    )
    await Promise.all(bodies.map((body) => body.read()))
    await Promise.all(bodies.map((body) => body.read()))
    for (let round = 0; round < 40; round++) {
      await bring(...Array.from({ length: 20 }, (_, i) => ({ project: `p${i}`, event_message: 'x'.repeat(1_000) })))
    }
    const held = await Promise.all(bodies.map((body) => new Response(unread(body)).text()))
    expect(held.every((text) => text.includes('event: dropped'))).toBe(true)
    // Each reader buffers one chunk. The bytes that all readers can still read are within the bound.
    expect(await value('tailsDropped')).toBe(40)
  })

  it('is every reader of a project that brings more than anybody should read; the next finds it again', async () => {
    const { tail, bring, clock } = createTailApp({ limits: { receivedBytesPerS: 1_000, receivedBurstBytes: 5_000 } })
    const [reader, other] = await Promise.all([tail(), tail(undefined, 'b')])
    await bring(...Array.from({ length: 12 }, (_, i) => ({ id: `${i}`, event_message: LONG })))
    expect(notices(reader!)).toEqual([SLOW])
    await bring({ id: 'b', project: 'b' })
    expect([other!.ids(), notices(other!)]).toEqual([['b'], []])
    const { lastEventId } = reader!.stream()
    const back = await tail(lastEventId)
    expect([...reader!.ids(), ...back.ids()]).toEqual(Array.from({ length: 12 }, (_, i) => `${i}`))
    for (let i = 0; i < 12; i++) {
      await pass(clock, 1)
      await bring({ id: `later ${i}`, event_message: LONG })
    }
    expect(notices(back)).toEqual([])
    expect(back.ids().at(-1)).toBe('later 11')
  })
})

describe('when it ends', () => {
  it('a stop of the service ends every tail at once with a reason, and takes no more', async () => {
    const { app, tail, get, bring, value, clock } = createTailApp()
    const readers = await Promise.all([tail(), tail(), tail(undefined, 'b')])
    await bring({ id: '1' })
    app.beginStop(0)
    await Promise.all(readers.map(({ ended }) => ended))
    expect(readers.map(notices)).toEqual(
      Array(3).fill([{ type: 'dropped', error: expect.any(String), code: 'stopping' }]),
    )
    expect(await readReply(get('/api/tail?project=a'), 'retry-after')).toMatchObject({
      status: 503,
      'retry-after': '2',
    })
    expect([await value('tailsOpen'), await value('tailsDropped')]).toEqual([0, 0])
    const timers = clock.timers
    await bring({ id: '2' })
    expect([clock.timers, readers[0]!.ids()]).toEqual([timers, ['1']])
  })

  it('a reader that leaves is forgotten at once, and what it followed a while later', async () => {
    let followed = 0
    const engine = openEngine()
    const follow: Engine['follow'] = async (...given) => {
      followed++
      const { run, stop } = await engine.follow(...given)
      return {
        run,
        stop() {
          followed--
          stop()
        },
      }
    }
    const { tail, bring, clock, value } = createTailApp({ engine: { ...engine, follow } })
    const timers = clock.timers
    const [one, other] = [await tail(), await tail()]
    await bring({ id: '1' })
    expect([followed, await value('tailsOpen')]).toEqual([1, 2])
    await Promise.all([one.leave(), other.leave()])
    expect([followed, await value('tailsOpen')]).toEqual([1, 0])
    await pass(clock, 31)
    expect([followed, clock.timers]).toEqual([0, timers])
  })

  it('an engine that cannot be asked ends a tail with that, and the next one asks anew', async () => {
    const engine = openEngine()
    let isBurning = true
    const follow: Engine['follow'] = async (...given) => {
      if (isBurning) throw new Error('the disk is on fire')
      return engine.follow(...given)
    }
    const { tail, logged, bring } = createTailApp({ engine: { ...engine, follow } })
    const reader = await tail()
    await reader.ended
    expect(notices(reader)).toEqual([{ type: 'dropped', error: expect.any(String), code: 'internal' }])
    expect(logged).toEqual(['internal error: Error: the disk is on fire'])
    isBurning = false
    await bring({ id: '1' })
    expect((await tail()).ids()).toEqual(['1'])
  })
})

/** Returns the rest of a body that is partly read. */
function unread(reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}
