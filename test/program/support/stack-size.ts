import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { mulberry32 } from '../../support/random.js'
import { type SinkEvent, vectorEvents } from '../../support/supabase/vector-events.js'
import { serve, temporaryFolder } from './program.js'
import { shipToSinks } from './vector-sinks.js'

/** Events that are made and sent at once. */
const CHUNK = 20_000
const HOUR_MS = 3_600_000

export interface StackSize {
  /** Mean bytes of the JSON of an event. */
  sentBytes: number
  /** Mean bytes of an event in the data directory of a stopped service, with the journals of open heads. */
  storedBytes: number
}

/** Sends `count` events of the last hour through all seven sinks, stops the service, and measures its directory. */
export async function sizeOfStack(count: number, seed: number): Promise<StackSize> {
  const data = temporaryFolder()
  const service = await serve(['--supabase', '--data-dir', data, '--memory-limit', '256M'], { stdin: 'ignore' })
  const fromMs = Date.now() - HOUR_MS
  const stepMs = HOUR_MS / count
  let sent = 0
  for (let from = 0; from < count; from += CHUNK) {
    const span = { count: Math.min(CHUNK, count - from), fromMs: fromMs + from * stepMs, stepMs }
    const events = vectorEvents(mulberry32(seed + from), span)
    sent += bytesOf(events)
    const { dropped } = await shipToSinks(service.url, events, { batchEvents: 500 })
    expect(dropped).toBe(0)
  }
  service.child.kill('SIGTERM')
  expect(await service.exit).toBe(0)
  const size = { sentBytes: sent / count, storedBytes: bytesIn(data) / count }
  console.log(
    `${count} events of a stack: ${size.sentBytes.toFixed(0)} bytes sent, ${size.storedBytes.toFixed(0)} stored`,
  )
  return size
}

const bytesOf = (events: readonly SinkEvent[]) =>
  events.reduce((sum, { event }) => sum + Buffer.byteLength(JSON.stringify(event)), 0)

const bytesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
