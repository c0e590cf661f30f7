import { describe, expect, it } from 'vitest'
import { SECOND_US } from '../../../src/base/units.js'
import { plainTokens } from '../../../src/tokens/token-registry.js'
import { createFakeClock } from '../../support/clock.js'
import { openEngine } from '../../support/engine.js'
import { createGate } from '../../support/gate.js'
import { pass, settle, TOKEN, UNAUTHORIZED } from '../support.js'
import { createTailApp, notices } from './support.js'

const ENDED = [{ type: 'dropped', ...JSON.parse(UNAUTHORIZED) }]

/** An app with two tokens, of which the tails' own expires after 20.2 s. */
function open(parts: Parameters<typeof createTailApp>[0] = {}) {
  const clock = createFakeClock()
  const expiresUs = clock.nowUs() + 20.2 * SECOND_US
  return createTailApp({ clock, tokens: [{ token: TOKEN, expiresUs }, 'another'], ...parts })
}

type Opened = ReturnType<typeof open>

/** The ways in which a token ends, each long before the next keep-alive. */
const ENDS: [how: string, end: (app: Opened) => void][] = [
  ['is revoked', ({ registry }) => registry.replace(plainTokens(['another']))],
  ['loses its scope', ({ registry }) => registry.replace(restricted({ scopes: new Set(['ingest']) }))],
  ['loses the project', ({ registry }) => registry.replace(restricted({ projects: new Set(['b']) }))],
  ['expires', ({ clock }) => clock.advance(200)],
]

function restricted(access: { scopes?: ReadonlySet<'query' | 'ingest'>; projects?: ReadonlySet<string> }) {
  const [token] = plainTokens([TOKEN])
  return [{ ...token!, access: { ...token!.access, ...access } }]
}

describe.each(ENDS)('a tail whose token %s', (_, end) => {
  it('ends within a second, also if no record arrives', async () => {
    const app = open()
    const readers = await Promise.all([app.tail(), app.tail(undefined, 'a', { source: 'auth_logs' })])
    await pass(app.clock, 20)
    end(app)
    await pass(app.clock, 1)
    expect(readers.map(notices)).toEqual([ENDED, ENDED])
    await Promise.all(readers.map(({ ended }) => ended))
    expect(await app.value('tailsOpen')).toBe(0)
  })

  it('is sent no record that arrives after that', async () => {
    const app = open()
    const reader = await app.tail()
    await pass(app.clock, 20)
    await app.bring({ id: 'in time' })
    end(app)
    await app.bring({ id: 'too late' })
    expect([reader.ids(), notices(reader)]).toEqual([['in time'], ENDED])
  })

  it('is sent no record that waits for the rate of all tails', async () => {
    const app = open({ limits: { sentBytesPerS: 100, sentBurstBytes: 100 } })
    const reader = await app.tail()
    await pass(app.clock, 20)
    await app.bring({ id: '1', event_message: 'x'.repeat(1_000) })
    await app.bring({ id: '2' })
    expect(reader.ids()).toEqual(['1'])
    end(app)
    await pass(app.clock, 15)
    expect([reader.ids(), notices(reader)]).toEqual([['1'], ENDED])
  })

  it('is sent no stored record that is read until then', async () => {
    const clock = createFakeClock()
    const engine = openEngine({ clock })
    const gate = createGate()
    const follow: typeof engine.follow = async (...given) => {
      const { run, stop } = await engine.follow(...given)
      return { stop, run: (...plan) => gate.opened.then(() => run(...plan)) }
    }
    const expiresUs = clock.nowUs() + 0.2 * SECOND_US
    const app = open({ clock, engine: { ...engine, follow }, tokens: [{ token: TOKEN, expiresUs }] })
    await app.bring({ id: 'stored' })
    const reader = await app.tail()
    end(app)
    gate.open()
    await settle()
    expect([reader.ids(), notices(reader)]).toEqual([[], ENDED])
  })
})

it('a tail goes on if its token stays valid while others change, and if the clock is set back', async () => {
  const app = open()
  const reader = await app.tail()
  app.registry.replace(plainTokens([TOKEN]))
  app.clock.setNowUs(app.clock.nowUs() - 3_600 * SECOND_US)
  await pass(app.clock, 5)
  await app.bring({ id: '1' })
  expect([reader.ids(), notices(reader)]).toEqual([['1'], []])
})
