import { describe, expect, it } from 'vitest'
import { mulberry32 } from '../random.js'
import { testSeed } from '../seed.js'
import { oddEvents } from './odd-events.js'
import { numberIn, SINK_NAMES, vectorEvent, vectorEvents } from './vector-events.js'

const AT_MS = Date.UTC(2026, 10, 24, 12, 0, 0, 123)
const seed = testSeed()

describe(`events of Vector (seed ${seed})`, () => {
  const events = vectorEvents(mulberry32(seed), { count: 2_000, fromMs: AT_MS, stepMs: 5 })

  it('come from every sink, the same for the same seed, each with its number in its message', () => {
    expect(new Set(events.map(({ sink }) => sink))).toEqual(new Set(SINK_NAMES))
    expect(events).toEqual(vectorEvents(mulberry32(seed), { count: 2_000, fromMs: AT_MS, stepMs: 5 }))
    expect(events.map(({ event }) => numberIn(event.event_message as string))).toEqual([...events.keys()])
  })

  it('have a message, a container, a time, and the project in one place', () => {
    for (const { event } of [...events, ...oddEvents(mulberry32(seed), AT_MS)]) {
      const metadata = event.metadata as { project?: string; project_ref?: string } | undefined
      expect([event.project, metadata?.project, metadata?.project_ref].filter((one) => one === 'default')).toEqual([
        'default',
      ])
      expect([typeof event.event_message, typeof event.appname, typeof event.timestamp]).toEqual(
        Array(3).fill('string'),
      )
    }
  })
})

it.each(SINK_NAMES)('an event of %s has sorted keys', (sink) => {
  const { event } = vectorEvent({ atMs: AT_MS, number: 7, random: mulberry32(1) }, sink)
  expect(Object.keys(event)).toEqual(Object.keys(event).sort())
  expect(event).not.toHaveProperty('isProjectMoved')
})
