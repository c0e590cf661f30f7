import { expect, it } from 'vitest'
import { createChannels } from '../../../src/http/tail/channels.js'
import { TAIL_LIMITS } from '../../../src/http/tail/limits.js'
import { createFakeClock } from '../../support/clock.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { edge } from '../../support/records.js'

function start(given: Partial<typeof TAIL_LIMITS>) {
  const [engine, clock] = [openEngine(), createFakeClock()]
  const channels = createChannels({
    follow: engine.follow,
    clock,
    errorForm: 'flat',
    limits: { ...TAIL_LIMITS, ...given },
  })
  const bring = (project: string, texts: readonly string[]) =>
    appendAll(
      engine,
      texts.map((event_message) => edge({ project, event_message, timestampUs: clock.nowUs() })),
    )
  return { channels, bring, clock }
}

const TEXT = 'x'.repeat(1_000)

it('a backlog holds the latest records that its bytes allow, whoever reads', async () => {
  const { channels, bring } = start({ backlogBytes: 10_000 })
  const { backlog, opened } = channels.acquire('a')
  await opened
  for (let i = 0; i < 100; i++) await bring('a', [TEXT])
  expect(backlog.end).toBe(100)
  expect(backlog.bytes).toBeLessThanOrEqual(10_000)
  expect(backlog.bytes).toBeGreaterThan(8_000)
})

it('all backlogs together keep a bound at the cost of the largest', async () => {
  const { channels, bring } = start({ backlogBytes: 100_000, backlogsBytes: 50_000 })
  const all = ['a', 'b', 'c'].map((project) => channels.acquire(project))
  await Promise.all(all.map(({ opened }) => opened))
  for (let i = 0; i < 100; i++) {
    await bring('a', [TEXT, TEXT])
    if (i % 20 === 0) await bring('b', [TEXT])
    expect(all.reduce((sum, { backlog }) => sum + backlog.bytes, 0)).toBeLessThanOrEqual(50_000)
  }
  expect(all.map(({ backlog }) => backlog.first > 0)).toEqual([true, false, false])
})

it('there are no more channels than readers may be: one that lingers makes room', async () => {
  const { channels, clock } = start({ tails: 2 })
  const [a, b] = [channels.acquire('a'), channels.acquire('b')]
  channels.release(a)
  const c = channels.acquire('c')
  expect(channels.acquire('b')).toBe(b)
  channels.release(c)
  expect(channels.acquire('a')).not.toBe(a)
  expect(clock.timers).toBe(0)
})

it('a channel that is entered again while it lingers stays', async () => {
  const { channels, clock } = start({})
  const channel = channels.acquire('a')
  channels.release(channel)
  clock.advance(29_000)
  expect(channels.acquire('a')).toBe(channel)
  clock.advance(60_000)
  expect(channels.acquire('a')).toBe(channel)
  expect(clock.timers).toBe(0)
})
