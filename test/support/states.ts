import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { createTestApp } from '../http/support.js'
import { NOW_US, parse } from '../ingest/parsing.js'
import type { Reject } from '../ingest/rejected.js'
import { createFakeClock } from './clock.js'
import { openEngine } from './engine.js'
import { createModelFiles, type ModelFiles } from './model-files.js'

/** Lines that were ingested, up to the text of an answer. The time is always NOW_US. */
export interface Taken {
  engine: ArrowEngine
  rejects: readonly Reject[]
  /** The body of an endpoint's answer. */
  ask(endpoint: string, params: Record<string, string>): Promise<string>
  close(): Promise<void>
}

/** A state that rows may be in when a query reads the rows. */
export interface State {
  name: string
  take(lines: Buffer | string): Promise<Taken>
}

const open = (files?: ModelFiles) =>
  openEngine({
    clock: createFakeClock(NOW_US),
    ...(files === undefined ? {} : { disk: { directory: 'data', files, release: async () => {} } }),
  })

function takenBy(engine: ArrowEngine, rejects: readonly Reject[]): Taken {
  const { app, get } = createTestApp({ engine, clock: createFakeClock(NOW_US) })
  return {
    engine,
    rejects,
    async ask(endpoint, params) {
      const response = await get(`/api/endpoints/query/${endpoint}?${new URLSearchParams(params)}`)
      return response.text()
    },
    async close() {
      app.close()
      await engine.close()
    },
  }
}

async function fill(engine: ArrowEngine, lines: Buffer | string, isSealed: boolean): Promise<readonly Reject[]> {
  const { batches, rejects } = parse(lines)
  for (const batch of batches) await engine.append(batch)
  if (isSealed) await engine.seal()
  return rejects
}

const inMemory = (name: string, isSealed: boolean): State => ({
  name,
  async take(lines) {
    const engine = open()
    return takenBy(engine, await fill(engine, lines, isSealed))
  },
})

/** The state that the next process finds after a kill. */
const recovered = (name: string, isSealed: boolean): State => ({
  name,
  async take(lines) {
    const files = createModelFiles()
    const first = open(files)
    await first.recover()
    const rejects = await fill(first, lines, isSealed)
    const second = open(files.restart())
    await second.recover()
    return takenBy(second, rejects)
  },
})

/** Every path of a value from a line to an answer. */
export const STATES: readonly State[] = [
  inMemory('the open head', false),
  inMemory('sealed segments', true),
  recovered('a journal, after a kill', false),
  recovered('segment files, after a kill', true),
]
