import { describe, expect, it } from 'vitest'
import type { LogFields } from '../../../src/base/log.js'
import { createMetrics } from '../../../src/base/metrics.js'
import { createUnreadableTimes } from '../../../src/ingest/thread/unreadable-times.js'
import { createFakeClock } from '../../support/clock.js'

function start() {
  const lines: [string, LogFields?][] = []
  const metrics = createMetrics()
  const clock = createFakeClock()
  const times = createUnreadableTimes({ metrics, clock, log: (...line) => void lines.push(line) })
  return { ...times, metrics, clock, lines }
}

const text = (counts: string) =>
  `records stored with the time of receipt, because their own time cannot be read: ${counts}`

describe('records whose time cannot be read', () => {
  it('are logged at once, with their number and source', () => {
    const { note, lines } = start()
    note('postgrest_logs', 3)
    const fields = { level: 'warn', code: 'unreadable_times', records: 3, sources: { postgrest_logs: 3 } }
    expect(lines).toEqual([[text('postgrest_logs 3'), fields]])
  })

  it('are logged once a minute after that, together', () => {
    const { note, clock, lines } = start()
    for (let second = 0; second < 150; second++) {
      note(second % 2 === 0 ? 'postgrest_logs' : 'auth_logs', 2)
      clock.advance(1_000)
    }
    expect(lines.map(([line]) => line)).toEqual([
      text('postgrest_logs 2'),
      text('auth_logs 60, postgrest_logs 58'),
      text('postgrest_logs 60, auth_logs 60'),
    ])
  })

  it('are logged at once again after a minute without any, and no timer is left', () => {
    const { note, clock, lines } = start()
    note('auth_logs', 1)
    clock.advance(59_999)
    expect(clock.timers).toBe(1)
    clock.advance(1)
    expect(clock.timers).toBe(0)
    note('auth_logs', 5)
    expect(lines.map(([line]) => line)).toEqual([text('auth_logs 1'), text('auth_logs 5')])
  })

  it('are logged when the service stops, if they are not yet', () => {
    const { note, close, clock, lines } = start()
    note('auth_logs', 1)
    note('auth_logs', 4)
    close()
    expect(lines.map(([line]) => line)).toEqual([text('auth_logs 1'), text('auth_logs 4')])
    expect(clock.timers).toBe(0)
    start().close()
  })

  it('are counted by source', async () => {
    const { note, metrics } = start()
    note('auth_logs', 1)
    note('realtime_logs', 2)
    note('auth_logs', 4)
    expect((await metrics.unreadableTimes.get()).values.map(({ labels, value }) => [labels.source, value])).toEqual([
      ['auth_logs', 5],
      ['realtime_logs', 2],
    ])
  })
})
