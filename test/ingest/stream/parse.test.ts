import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_US, MIB } from '../../../src/base/units.js'
import { SOURCE_NAMES } from '../../../src/common/sources.js'
import type { IngestBatch } from '../../../src/engine/engine.js'
import { generate } from '../../../src/generate/generate.js'
import { BATCH_ROWS } from '../../../src/ingest/lines/record-sink.js'
import { createParser } from '../../../src/ingest/stream/parse.js'
import { below, mulberry32 } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { NOW_US, type ParseOptions, RETENTION_US, rowsOf } from '../parsing.js'
import { collectInto, type Reject } from '../rejected.js'
import { check, cut, expectAsReference } from './as-reference.js'

/** Random tests take seconds on an idle machine. */
const TIMEOUT_MS = 120_000

const lines = (records: readonly object[]): Buffer =>
  Buffer.from(records.map((record) => JSON.stringify({ source: 'edge_logs', ...record })).join('\n'))

const relayLines = (texts: readonly string[]): Buffer =>
  Buffer.from(texts.map((text) => `{"source":"function_edge_logs","id":"","metadata":${text}}`).join('\n'))

describe('the parser does what the reference does', () => {
  it('with records in all forms', expectAsReference, TIMEOUT_MS)

  const generated = (source: (typeof SOURCE_NAMES)[number] | 'all', rows: number, badEvery: number) =>
    Buffer.concat([
      ...generate({ rows, seed: 7, source, endUs: NOW_US, spanUs: DAY_US, slim: false, projects: 40, badEvery }),
    ])

  it.each(SOURCE_NAMES)('with generated records of %s', (source) => {
    const { rejects } = check(generated(source, 300, 0))
    expect(rejects).toEqual([])
  })

  it(
    'with generated records and faults of all sources, in batches of all sizes',
    () => {
      const bytes = generated('all', 100 + runs(700), 9)
      for (const batchRows of [1, 7, 8, 9, 64, 500]) check(bytes, { batchRows }, cut(bytes, mulberry32(batchRows)))
      for (const batchBytes of [1, 5000, 100_000]) check(bytes, { batchBytes }, cut(bytes, mulberry32(batchBytes)))
    },
    TIMEOUT_MS,
  )

  it.each([1, 2, 3, 4, 5, 6])('with generated records whose bytes have changed here and there, seed %i', (seed) => {
    const random = mulberry32(seed)
    const bytes = generated('all', 400, 0)
    for (let i = 0; i < 1500; i++) bytes[below(random, bytes.length)] = below(random, 256)
    check(bytes, { maxLineBytes: 1500, batchRows: 50 }, cut(bytes, random))
  })
})

describe('the bounds of a batch', () => {
  const records = lines(Array.from({ length: 30 }, () => ({ id: 'abc', event_message: '12345', project: 'p' })))
  const sizes = (options: ParseOptions) => check(records, options).batches.map(({ rows }) => rows)

  it('are met exactly', () => {
    expect(sizes({ batchRows: 10 })).toEqual([10, 10, 10])
    expect(sizes({ batchRows: 29 })).toEqual([29, 1])
    // Ten bytes per row, and one project per batch.
    expect(sizes({ batchBytes: 101 })).toEqual([10, 10, 10])
    expect(sizes({ batchBytes: 102 })).toEqual([11, 11, 8])
    expect(sizes({ batchBytes: 100 })).toEqual([10, 10, 10])
    expect(sizes({ batchBytes: 91 })).toEqual([9, 9, 9, 3])
  })

  it('count the texts of dictionaries', () => {
    const projects = Array.from({ length: 12 }, (_, i) => ({ id: '', project: `${i}`.padStart(1000, 'x') }))
    expect(check(lines(projects), { batchBytes: 3000 }).batches.map(({ rows }) => rows)).toEqual([3, 3, 3, 3])
    const functions = projects.map(({ project }) => `{"function_id":"${project}"}`)
    // Each text counts twice: in the column and in the metadata.
    expect(check(relayLines(functions), { batchBytes: 4000 }).batches.map(({ rows }) => rows)).toEqual(Array(6).fill(2))
  })

  it('hold for a project of the longest line, again and again', () => {
    const projects = Array.from({ length: 9 }, (_, i) => ({ id: '', project: 'abc'[i % 3]!.repeat(MIB - 60) }))
    expect(check(lines(projects)).batches.map(({ rows }) => rows)).toEqual([9])
    const all = Array.from({ length: 9 }, (_, i) => ({ id: '', project: `${i}`.repeat(MIB - 60) }))
    expect(check(lines(all)).batches.map(({ rows }) => rows)).toEqual([5, 4])
  })

  it('hold whatever refused lines have written', () => {
    const long = 'y'.repeat(MIB - 200)
    const refused = Array.from({ length: 20 }, (_, i) => ({ id: long, project: `${i}`, timestamp: 'never' }))
    const more = refused.map(({ project }) => ({ id: '', project: project + long, timestamp: 0 }))
    const [row] = check(lines([...refused, ...more, { id: 'last', project: 'p' }])).rows
    expect(row).toMatchObject({ id: 'last', project: 'p' })
  })

  it('hold for records that are all made up', () => {
    const bare = Buffer.from('{}\n'.repeat(500))
    expect(check(bare, { defaultSource: 'edge_logs', batchBytes: 40, maxLineBytes: 10 }).batches).toHaveLength(250)
  })
})

describe('dictionaries', () => {
  it.each([63, 64, 65, 128, 129, 1000])('of %i texts, each twice', (count) => {
    const texts = Array.from({ length: 2 * count }, (_, i) => ({ id: '', project: `project ${i % count}` }))
    check(lines([...texts, { id: '' }, { id: '', project: '' }, { id: '', project: '' }]))
  })

  it(
    'of as many texts as a batch has rows, batch after batch',
    () => {
      const texts = Array.from({ length: 2 * BATCH_ROWS + 5 }, (_, i) => ({ id: '', project: `${i}` }))
      expect(check(lines(texts)).batches.map(({ rows }) => rows)).toEqual([BATCH_ROWS, BATCH_ROWS, 5])
    },
    TIMEOUT_MS,
  )

  it('tell texts apart that differ in one byte', () => {
    const texts = Array.from({ length: 40 }, (_, length) =>
      Array.from({ length }, (_, i) => `${'x'.repeat(i)}y${'x'.repeat(length - i - 1)}`),
    ).flat()
    check(lines([...texts, ...texts].map((project) => ({ id: '', project }))))
    check(lines(['a', 'a\0', '', '\0', 'a\0\0', 'a'].map((project) => ({ id: '', project }))))
  })
})

describe('values', () => {
  it('of hot numbers', () => {
    const whole = [
      '0',
      '-0',
      '-0.0',
      '0.0',
      '1',
      '-1',
      '9'.repeat(15),
      '9'.repeat(16),
      '9'.repeat(17),
      '9007199254740993',
    ]
    const fractions = ['0.1', '-0.3', '123456789012.345', '1234567890123.45', '12345678901234.56', '0.00000000000001']
    // A digit too many: the quotient of the nearest doubles is not the nearest double.
    const long = ['908024157.2340993', '952375720.9140993', '-9449560.119140993', '9349085856.740993']
    const others = ['1e400', '-1e400', '1e-400', '1E2', '1.5e3', '0.1e-7', '5e-324', '4.35', '0.000001', '179.99']
    const numbers = [...whole, ...fractions, ...long, ...others]
    const { rows } = check(relayLines(numbers.map((text) => `{"execution_time_ms":${text}}`)))
    expect(rows.map((row) => row.execution_time_ms)).toEqual(
      numbers.map((text) => (Number.isFinite(Number(text)) ? Number(text) : null)),
    )
  })

  it(
    'of hot numbers, against Number',
    () => {
      const texts = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }).map(String), { maxLength: 50 })
      const short = fc.array(
        fc.tuple(fc.integer(), fc.nat(999_999)).map(([a, b]) => `${a}.${b}`),
        { maxLength: 50 },
      )
      fc.assert(
        fc.property(fc.oneof(texts, short), (numbers) => {
          const { rows } = check(relayLines(numbers.map((text) => `{"response":{"status_code":${text}}}`)))
          expect(rows.map((row) => row.status_code)).toEqual(numbers.map(Number))
        }),
      )
    },
    TIMEOUT_MS,
  )

  it('that are empty, and that are not there', () => {
    const requests = [{ url: '' }, { url: null }, {}, { url: '', path: '' }, { path: null }, { url: 'u' }]
    check(lines([...requests, ...requests, ...requests].map((request) => ({ id: '', metadata: { request } }))))
    check(
      lines([
        { id: '', event_message: '', project: '', metadata: {} },
        { event_message: null, metadata: [] },
      ]),
    )
  })

  it('of every date and time of day', () => {
    const days = Array.from({ length: 900 }, (_, i) => NOW_US - i * 100 * DAY_US - i * 3_723_004_005)
    const texts = days.map((us) => {
      const micros = ((us % 1000) + 1000) % 1000
      return `${new Date((us - micros) / 1000).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
    })
    const { rows } = check(lines(texts.map((timestamp) => ({ id: '', timestamp }))), { retentionUs: 1e18 })
    expect(rows).toHaveLength(900)
    // All years at full size, else years that are spread over all.
    const years = Array.from({ length: runs(10_000) }, (_, i) => String((i * 7_919) % 10_000).padStart(4, '0'))
    const dates = years.flatMap((year) => ['02-28', '02-29', '03-01', '12-31'].map((date) => `${year}-${date}`))
    const records = dates.map((date) => ({ id: '', timestamp: `${date}T23:59:59.999999999Z` }))
    check(lines(records), { retentionUs: 1e18, nowUs: NOW_US })
  })
})

describe('a flush', () => {
  /** Creates a parser and collects the rows and rejects. */
  function collecting() {
    const rows: unknown[] = []
    const rejects: Reject[] = []
    const sink = {
      batch: (batch: IngestBatch) => void rows.push(...rowsOf(batch).map(({ id }) => id)),
      reject: collectInto(rejects),
    }
    return { parser: createParser({ retentionUs: RETENTION_US }, sink), rows, rejects }
  }

  const flood = lines(Array.from({ length: 20_000 }, (_, i) => ({ id: `${i}`, event_message: 'm'.repeat(300) })))

  it('is needed while rows wait', () => {
    const { parser, rows } = collecting()
    expect(parser.needsFlush()).toBe(false)
    parser.push(lines([{ id: 'a' }]), NOW_US)
    expect(parser.needsFlush()).toBe(false)
    parser.push(Buffer.from('\n'), NOW_US)
    expect(parser.needsFlush()).toBe(true)
    parser.flush()
    expect([rows, parser.needsFlush()]).toEqual([['a'], false])
  })

  it('lets go of the memory of a flood that has been over for a while, and goes on with the line that was cut', () => {
    const { parser, rows, rejects } = collecting()
    const last = Buffer.from(`\n{"source":"auth_logs","id":"cut ${'é'.repeat(1000)}`)
    expect(parser.holdsLargeMemory()).toBe(false)
    parser.push(Buffer.concat([flood, last]), NOW_US)
    for (let i = 0; i < 9; i++) {
      parser.flush()
      expect([parser.needsFlush(), parser.holdsLargeMemory()]).toEqual([true, true])
    }
    parser.flush()
    expect([parser.needsFlush(), parser.holdsLargeMemory()]).toEqual([false, false])
    parser.push(Buffer.from(' here"}\nno\n{"source":"edge_logs","id":"b"}'), NOW_US)
    parser.end(NOW_US)
    expect(rows).toHaveLength(20_002)
    expect(rows.slice(-2).toSorted()).toEqual(['b', `cut ${'é'.repeat(1000)} here`])
    expect(rejects.map(({ line, reason, bytes }) => [line, reason, Buffer.from(bytes).toString()])).toEqual([
      [20_002, 'invalid_json', 'no'],
    ])
  })

  it('keeps the memory of a flood that is held up between two batches', () => {
    const { parser, rows } = collecting()
    for (let i = 0; i < 3; i++) {
      parser.push(Buffer.concat([flood, Buffer.from('\n')]), NOW_US)
      for (let j = 0; j < 9; j++) parser.flush()
      expect(parser.holdsLargeMemory()).toBe(true)
    }
    expect(rows).toHaveLength(60_000)
  })

  it('lets go of the memory of a flood of many sources, too, whose batches are small', () => {
    const { parser } = collecting()
    const record = (i: number) => ({ source: SOURCE_NAMES[i % 9], id: `${i}`, event_message: 'm'.repeat(300) })
    parser.push(lines(Array.from({ length: 9000 }, (_, i) => record(i))), NOW_US)
    parser.flush()
    expect(parser.holdsLargeMemory()).toBe(true)
    for (let i = 0; i < 9; i++) parser.flush()
    expect(parser.holdsLargeMemory()).toBe(false)
  })

  it('of a trickle has nothing to let go of', () => {
    const { parser } = collecting()
    for (let i = 0; i < 11; i++) {
      parser.push(lines([{ id: `${i}` }, { id: 'next' }]), NOW_US)
      parser.flush()
      expect(parser.holdsLargeMemory()).toBe(false)
    }
  })
})
