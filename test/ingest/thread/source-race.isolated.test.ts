import { afterAll, expect, it } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { systemClock } from '../../../src/base/time/clock.js'
import { MAX_OWN_SOURCES } from '../../../src/common/own-source-names.js'
import { MAX_TOKEN_SOURCES } from '../../../src/common/source-refusals.js'
import type * as Sources from '../../../src/common/sources.js'
import type { IngestBatch } from '../../../src/engine/engine.js'
import type { createRequests as CreateRequests } from '../../../src/ingest/body/requests.js'
import type { createIngest as CreateIngest } from '../../../src/ingest/stream/ingest.js'
import { below, mulberry32, type Random } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { NOW_US, type ParsedRow, rowsOf } from '../parsing.js'
import { type Reject, storeInto } from '../rejected.js'

// The parsing threads run built code: run `npm run build` before the tests.
const built = (path: string) => import(new URL(`../../../dist/${path}.js`, import.meta.url).href)
const { createRequests }: { createRequests: typeof CreateRequests } = await built('ingest/body/requests')
const { createIngest }: { createIngest: typeof CreateIngest } = await built('ingest/stream/ingest')
const { acceptSources, allSourceNames, ownSourceCount }: typeof Sources = await built('common/sources')

acceptSources(['configured'], true)

/** More than there may be. */
const NAMES = Array.from({ length: MAX_OWN_SOURCES + 60 }, (_, i) => `race_${i}`)
/** Records of each name that each sender sends. */
const TIMES = 3

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const list = [...items]
  for (let i = list.length - 1; i > 0; i--) {
    const other = below(random, i + 1)
    ;[list[i], list[other]] = [list[other]!, list[i]!]
  }
  return list
}

const line = (source: string) => `${JSON.stringify({ source })}\n`

function receiver() {
  const rows: ParsedRow[] = []
  const written: Reject[] = []
  const engine = { append: async (batch: IngestBatch) => void rows.push(...rowsOf(batch)) }
  const clock = { ...systemClock, nowUs: () => NOW_US }
  return { rows, written, options: { engine, clock, metrics: createMetrics(), rejects: storeInto(written) } }
}

const closing: (() => Promise<void>)[] = []
afterAll(async () => void (await Promise.all(closing.map((close) => close()))))

/**
 * Sends lines by standard input or in bodies, in parts of random lengths. Resolves with the stored rows and the
 * rejects.
 */
async function sendAll(way: 'stream' | 'bodies', lines: readonly string[], random: Random, token?: string) {
  const { rows, written, options } = receiver()
  const send = way === 'stream' ? openStream(options) : openBodies(options, token)
  for (let at = 0; at < lines.length; ) {
    const next = at + 1 + below(random, 60)
    await send.write(Buffer.from(lines.slice(at, next).join('')))
    at = next
  }
  await send.end()
  return { rows, rejects: written.length }
}

function openStream(options: Parameters<typeof createIngest>[0]) {
  const ingest = createIngest(options)
  closing.push(ingest.close)
  return { write: ingest.write, end: ingest.end }
}

function openBodies(options: Parameters<typeof createRequests>[0], token: string | undefined) {
  const requests = createRequests(options)
  closing.push(requests.close)
  return { write: (bytes: Uint8Array) => requests.take(bytes, 'ndjson', { token }), end: async () => {} }
}

it('a bound token makes 20 sources over several threads', async () => {
  const random = mulberry32(testSeed())
  const lines = NAMES.slice(0, 50).map((name) => line(`bound_${name}`))
  await Promise.all([1, 2].map(() => sendAll('bodies', shuffled(lines, random), random, 'token')))
  expect(ownSourceCount() - 1, `seed ${testSeed()}`).toBe(MAX_TOKEN_SOURCES)
})

it('threads that race make 200 sources, and agree about every record', async () => {
  const random = mulberry32(testSeed())
  const sent = Array.from({ length: TIMES }, () => NAMES).flat()
  const ways = ['stream', 'bodies', 'bodies'] as const
  const results = await Promise.all(ways.map((way) => sendAll(way, shuffled(sent, random).map(line), random)))
  const known = new Set(allSourceNames())
  const accepted = NAMES.filter((name) => known.has(name))
  expect(ownSourceCount(), `seed ${testSeed()}`).toBe(MAX_OWN_SOURCES)
  for (const { rows, rejects } of results) {
    const counts = new Map<unknown, number>()
    for (const { source } of rows) counts.set(source, (counts.get(source) ?? 0) + 1)
    expect(counts, `seed ${testSeed()}`).toEqual(new Map([...counts.keys()].map((name) => [name, TIMES])))
    expect([...counts.keys()].sort(), `seed ${testSeed()}`).toEqual(accepted.toSorted())
    expect(rejects).toBe((NAMES.length - accepted.length) * TIMES)
  }
})
