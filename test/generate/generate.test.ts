import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIso8601 } from '../../src/base/time/iso8601.js'
import { DAY_US } from '../../src/base/units.js'
import { type BuiltInSource, findSource, SOURCE_NAMES } from '../../src/common/sources.js'
import { BAD_LINES } from '../../src/generate/bad-lines.js'
import { type GenerateOptions, generate } from '../../src/generate/generate.js'
import { projectRef, SMALL_RANK, TOP_RANK } from '../../src/generate/values/projects.js'
import { runs } from '../support/runs.js'

const END_US = Date.UTC(2026, 10, 20, 10) * 1000

function options(given: Partial<GenerateOptions>): GenerateOptions {
  const defaults = { rows: 500, seed: 7, source: 'all', endUs: END_US, spanUs: 7 * DAY_US } as const
  return { ...defaults, slim: false, projects: 200, badEvery: 0, ...given }
}

const bytesOf = (given: Partial<GenerateOptions>) => Buffer.concat([...generate(options(given))])

function linesOf(given: Partial<GenerateOptions>): string[] {
  const text = bytesOf(given).toString()
  expect(text.endsWith('\n')).toBe(true)
  return text.slice(0, -1).split('\n')
}

// biome-ignore lint/suspicious/noExplicitAny: records are any JSON, and the tests read their members
type Json = any
const recordsOf = (given: Partial<GenerateOptions>): Json[] => linesOf(given).map((line) => JSON.parse(line))

const timestampUs = ({ timestamp }: Json): number =>
  typeof timestamp === 'number' ? timestamp : parseIso8601(timestamp)!

const first = (value: Json): Json => (Array.isArray(value) ? value[0] : value)

/** Returns the project at the path that the contract defines for the source. */
function projectOf(record: Json): string {
  const { projectPlaces } = findSource(record.source)!
  const path = projectPlaces[0]!.split('.')
  return path.reduce((value, key) => first(value)[key], record)
}

describe('generate', () => {
  it('gives equal bytes for equal options, and others for another seed', () => {
    const given = { rows: 3_000, badEvery: 7 }
    expect(bytesOf(given).equals(bytesOf(given))).toBe(true)
    expect(bytesOf(given).equals(bytesOf({ ...given, seed: 8 }))).toBe(false)
  })

  it('tells seeds apart beyond 32 bits', () => {
    expect(bytesOf({ seed: 1 }).equals(bytesOf({ seed: 1 + 2 ** 32 }))).toBe(false)
  })

  it('writes chunks of whole lines', () => {
    const chunks = [...generate(options({ rows: 2_000 }))]
    expect(chunks.length).toBeGreaterThan(5)
    for (const chunk of chunks) expect(chunk.at(-1)).toBe(0x0a)
  })

  it('writes as many records as asked for, oldest first, within the span', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.nat(1e6),
        fc.integer({ min: 1, max: 90 }),
        (rows, seed, days) => {
          const records = recordsOf({ rows, seed, spanUs: days * DAY_US })
          const times = records.map(timestampUs)
          expect(records).toHaveLength(rows)
          expect(times).toEqual(times.toSorted((a, b) => a - b))
          expect(times[0]).toBeGreaterThanOrEqual(END_US - days * DAY_US)
          expect(times.at(-1)).toBeLessThan(END_US)
        },
      ),
      { numRuns: runs(50) },
    )
  })

  it.each(SOURCE_NAMES)('writes valid records of %s, the project in its place', (source) => {
    for (const slim of [false, true]) {
      const records = recordsOf({ source, slim, rows: 300 })
      const refs = new Set(Array.from({ length: 200 }, (_, rank) => projectRef(7, rank)))
      for (const record of records) {
        expect(findSource(record.source)!.name).toBe(source)
        expect(refs).toContain(projectOf(record))
        expect(record.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(typeof record.event_message).toBe('string')
        expect(typeof first(record.metadata)).toBe('object')
      }
    }
  })

  it.each(['edge_logs', 'function_edge_logs'] as const)('gives requests of %s headers that others lack', (source) => {
    const headersOf = (optionalHeaders: boolean) =>
      recordsOf({ source, rows: 3_000, optionalHeaders }).map(({ metadata }) =>
        Object.keys(first(first(first(metadata).request).headers)),
      )
    const sets = new Set(headersOf(true).map(String))
    expect(sets.size).toBeGreaterThan(200)
    expect(new Set(headersOf(false).map(String)).size).toBeLessThan(3)
    const share = (header: string) => headersOf(true).filter((headers) => headers.includes(header)).length / 3_000
    expect(share('accept_language')).toBeCloseTo(1 / 2, 1)
    expect(share('x_request_id')).toBeCloseTo(1 / 10, 1)
  })

  it('writes no number with a zero in front, however rarely one is drawn', () => {
    // The seed draws a zero among so many records.
    const chunks = [...generate(options({ source: 'postgres_logs', rows: 200_000, seed: 1, projects: 2_000 }))]
    expect(chunks.filter((chunk) => chunk.includes('"query_id":0'))).toEqual([])
  })

  it('mixes all nine sources, and spells some by their alias', () => {
    const names = new Set(recordsOf({ rows: 5_000 }).map(({ source }) => source))
    for (const name of SOURCE_NAMES) {
      expect(names).toContain(name)
      expect(names).toContain(findSource(name)!.alias)
    }
  })

  it('gives the top project a tenth of the records, the small one one in two thousand', () => {
    const rows = 60_000
    const refs = linesOf({ source: 'postgrest_logs', rows, projects: 2_000 }).map((line) => JSON.parse(line).project)
    const share = (rank: number) => {
      const wanted = projectRef(7, rank)
      return refs.filter((ref) => ref === wanted).length / rows
    }
    expect(share(TOP_RANK)).toBeCloseTo(0.1, 2)
    expect(share(SMALL_RANK)).toBeGreaterThan(0.0002)
    expect(share(SMALL_RANK)).toBeLessThan(0.0009)
    expect(share(2)).toBeLessThan(0.03)
    expect(new Set(refs).size).toBeGreaterThan(1_900)
  })

  it.each([
    ['edge_logs', false, 1870],
    ['function_edge_logs', false, 1400],
    ['edge_logs', true, 380],
    ['function_edge_logs', true, 380],
  ] as const)('writes %s, slim %s, in lines of about %i bytes', (source: BuiltInSource, slim, lineBytes) => {
    const rows = 3_000
    const mean = bytesOf({ source, slim, rows }).length / rows
    expect(Math.abs(mean / lineBytes - 1)).toBeLessThan(0.05)
  })

  it('varies the form of records: epoch numbers, repeated records, escapes, letters beyond ASCII', () => {
    const lines = linesOf({ rows: 5_000 })
    const records = lines.map((line) => JSON.parse(line))
    const some = (test: (record: Json) => boolean) => expect(records.filter(test).length).toBeGreaterThan(20)
    some(({ timestamp }) => typeof timestamp === 'number')
    some(({ metadata }) => Array.isArray(metadata))
    some(({ event_message }) => /["\n\t]/.test(event_message))
    expect(lines.some((line) => /[^\0-\x7f]/.test(line))).toBe(true)
  })

  it('nests repeated records all the way to the hot fields', () => {
    const repeated = recordsOf({ source: 'edge_logs', rows: 3_000 }).filter(({ metadata }) => Array.isArray(metadata))
    expect(repeated.length).toBeGreaterThan(20)
    for (const { metadata } of repeated) {
      expect(typeof metadata[0].request[0].url).toBe('string')
      expect(typeof metadata[0].response[0].status_code).toBe('number')
    }
  })

  it('writes URLs, paths and statuses that belong together', () => {
    const records = recordsOf({ source: 'edge_logs', rows: 3_000 })
    for (const { metadata } of records) {
      const { url, path } = first(first(metadata).request)
      expect(new URL(url).pathname).toBe(path)
      const { status_code } = first(first(metadata).response)
      expect(status_code).toBeGreaterThanOrEqual(200)
      expect(status_code).toBeLessThan(600)
    }
    for (const area of ['/rest', '/storage', '/auth', '/realtime']) {
      const share = records.filter(({ metadata }) => first(first(metadata).request).path.includes(area)).length / 3_000
      expect(share).toBeGreaterThan(0.03)
    }
  })

  it('writes execution times that are mostly whole, some not, with a long tail', () => {
    const times = recordsOf({ source: 'function_edge_logs', rows: 5_000 })
      .map(({ metadata }) => first(metadata).execution_time_ms as number)
      .sort((a, b) => a - b)
    const fractional = times.filter((time) => !Number.isInteger(time)).length / times.length
    expect(fractional).toBeGreaterThan(0.08)
    expect(fractional).toBeLessThan(0.2)
    expect(times[0]).toBeGreaterThan(0)
    expect(times[4_950]! / times[2_500]!).toBeGreaterThan(5)
  })

  it('makes ids and addresses that do not repeat', () => {
    const records = recordsOf({ source: 'edge_logs', slim: true, rows: 20_000 })
    expect(new Set(records.map(({ id }) => id)).size).toBe(20_000)
    expect(new Set(records.map(({ event_message }) => event_message)).size).toBeGreaterThan(19_900)
  })

  it('adds a bad line after every so many records, each reason in turn', () => {
    const lines = linesOf({ rows: 100, badEvery: 10 })
    expect(lines).toHaveLength(110)
    const bad = lines.filter((_, i) => i % 11 === 10)
    expect(bad).toEqual(Array.from({ length: 10 }, (_, i) => BAD_LINES[i % BAD_LINES.length]![1]))
    for (const line of lines.filter((_, i) => i % 11 !== 10)) JSON.parse(line)
  })
})
