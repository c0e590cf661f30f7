import { createFakeClock } from '../../support/clock.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { type EventReader, readEvents } from '../../support/events.js'
import { edge, type PartialRecord } from '../../support/records.js'
import { createTestApp, settle } from '../support.js'

/** An app over an embedded engine, with functions that append records and open tails. */
export function createTailApp({ engine = openEngine(), clock = createFakeClock(), ...parts }: TailAppOptions = {}) {
  const { get, app, metrics, logged, registry } = createTestApp({ engine, clock, ...parts })
  const readers: EventReader[] = []

  /** Opens a tail of project `a`, of edge records unless `more` says otherwise. Reads until the tail is up to date. */
  async function tail(lastEventId?: string, project = 'a', more: Record<string, string> = {}): Promise<EventReader> {
    const headers: Record<string, string> = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }
    const reader = readEvents(await get(`/api/tail?${new URLSearchParams({ project, ...more })}`, { headers }))
    readers.push(reader)
    await settle()
    return reader
  }

  /** Appends edge records, by default of project `a` and of now, and waits until readers have received the records. */
  async function bring(...records: PartialRecord[]): Promise<void> {
    await appendAll(
      engine,
      records.map((record) => edge({ timestampUs: clock.nowUs(), ...record })),
    )
    await settle()
  }

  const value = async (name: 'tailsOpen' | 'tailsDropped') => (await metrics[name].get()).values[0]?.value
  return { engine, clock, app, get, tail, bring, value, logged, registry }
}

export type TailAppOptions = Omit<NonNullable<Parameters<typeof createTestApp>[0]>, 'engine' | 'clock'> & {
  engine?: ReturnType<typeof openEngine>
  clock?: ReturnType<typeof createFakeClock>
}

/** Returns the events of a stream that are not records, with their data. */
export function notices(reader: EventReader) {
  const { events } = reader.stream()
  return events.filter(({ type }) => type !== 'message').map(({ type, data }) => ({ type, ...JSON.parse(data) }))
}
