import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { BASE, ENV, OURS, STACK } from '../../deploy/supabase-stack.js'
import { mulberry32 } from '../../support/random.js'
import { type SinkEvent, vectorEvents } from '../../support/supabase/vector-events.js'
import { analyticsOf } from './analytics.js'
import { residentBytes } from './memory.js'
import { serve, temporaryFolder } from './program.js'
import { shipToSinks } from './vector-sinks.js'

/** Events that are made and sent at once. */
const CHUNK = 20_000
const HOUR_MS = 3_600_000
/** Enough for a service without events to have started everything. */
const SETTLE_MS = 2_000

export interface StackSize {
  /** Mean bytes of the JSON of an event. */
  sentBytes: number
  /** Mean bytes of an event in the data directory of a stopped service, with the journals of open heads. */
  storedBytes: number
  /** Resident bytes of the service: before the first event, the most with events, and after a restart. */
  idleBytes: number
  peakBytes: number
  restartedBytes: number
}

/**
 * Sends `count` events of the last hour through all seven sinks, as fast as possible, to a service with the settings of
 * deploy/supabase, stops the service, measures the directory, and starts the service again.
 */
export async function sizeOfStack(count: number, seed: number): Promise<StackSize> {
  const data = temporaryFolder()
  const { environment } = analyticsOf(STACK, [BASE, OURS])
  const startAgain = () => serve(['--data-dir', data], { stdin: 'ignore', environment })
  const service = await startAgain()
  await wait(SETTLE_MS)
  const idleBytes = residentBytes(service).now
  const fromMs = Date.now() - HOUR_MS
  const stepMs = HOUR_MS / count
  let sent = 0
  for (let from = 0; from < count; from += CHUNK) {
    const span = { count: Math.min(CHUNK, count - from), fromMs: fromMs + from * stepMs, stepMs }
    const events = vectorEvents(mulberry32(seed + from), span)
    sent += bytesOf(events)
    const { dropped } = await shipToSinks(service.url, events, {
      batchEvents: 500,
      token: ENV.LOGFLARE_PUBLIC_ACCESS_TOKEN,
    })
    expect(dropped).toBe(0)
  }
  const peakBytes = residentBytes(service).peak
  service.child.kill('SIGTERM')
  expect(await service.exit).toBe(0)
  const storedBytes = bytesIn(data) / count
  const restartedBytes = residentBytes(await startAgain()).now
  const size = { sentBytes: sent / count, storedBytes, idleBytes, peakBytes, restartedBytes }
  console.log(`${count} events of a stack: ${JSON.stringify(size)}`)
  return size
}

const bytesOf = (events: readonly SinkEvent[]) =>
  events.reduce((sum, { event }) => sum + Buffer.byteLength(JSON.stringify(event)), 0)

const bytesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
