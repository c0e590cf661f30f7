import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../../src/engine/execute/expressions/frame.js'
import { filter } from '../../../../src/engine/execute/operators/filter.js'
import { atLeast, contains, equals } from '../../../../src/plan/builder.js'
import { call, column, type Expression, literal } from '../../../../src/plan/expression.js'
import { edge } from '../../../support/records.js'
import {
  computed,
  frameOf,
  idsOf,
  lazyBatch,
  loadRange,
  openBatch,
  partOf,
  runContext,
  sealedBatch,
  valuesOf,
} from '../../store/support.js'

const keep = (frame: Frame, ...conditions: Expression[]) =>
  filter([lazyBatch(frame)], conditions, runContext().context)[0]!

const request = (id: string, path: string | undefined, status: number | undefined, timestampUs = 0) =>
  edge({
    id,
    timestampUs,
    event_message: `m${id}`,
    metadata: { n: Number(id), request: { path }, response: { status_code: status } },
  })

describe('a filter', () => {
  it('keeps the rows for which every condition is true, not those for which one is null', async () => {
    const record = fc.tuple(fc.constantFrom('/rest/a', '/auth', undefined), fc.constantFrom(200, 404, undefined))
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 30 }), async (given) => {
        const records = given.map(([path, status], i) => request(`${i}`, path, status))
        const expected = given.flatMap(([path, status], i) =>
          path?.includes('/rest') === true && status !== undefined && status >= 400 ? [`${i}`] : [],
        )
        for (const batch of [openBatch(records), await sealedBatch(records)]) {
          const kept = keep(frameOf(batch, 'edge_logs'), contains('path', '/rest'), atLeast('status_code', 400))
          await kept.read((frame) => {
            expect(frame.rows).toBe(expected.length)
            if (frame.stored !== undefined) expect(idsOf(batch, frame.stored.selection)).toEqual(expected)
          })
        }
      }),
    )
  })

  it('reads cold columns, and these of the rows that it keeps', async () => {
    const records = Array.from({ length: 1_200 }, (_, i) => request(`${i}`, '/', 200, i))
    for (const batch of [openBatch(records), await sealedBatch(records)]) {
      const frame = frameOf(batch, 'edge_logs', batch.projectRows('a'))
      const n = call('json_value', column('metadata'), literal('$.n'))
      const kept = keep(frame, call('ends_with', column('event_message'), literal('99')), call('ne', n, literal('99')))
      await kept.read(async (rows) => {
        await loadRange(rows, 0, rows.rows)
        expect(valuesOf(rows, ['id'])).toEqual(
          [199, 299, 399, 499, 599, 699, 799, 899, 999, 1099, 1199].map((id) => [`${id}`]),
        )
      })
    }
  })

  it('evaluates a condition only where the ones before it are true', async () => {
    const batch = computed({ x: [1, 0, 2] })
    const failing = call('eq', call('div', literal(6), column('x')), literal(3))
    const context = runContext().context
    const [kept] = filter([batch], [call('ne', column('x'), literal(0)), failing], context)
    expect(await kept!.read((frame) => valuesOf(frame, ['x']))).toEqual([[2]])
    const [failed] = filter([batch], [failing], context)
    await expect(failed!.read(() => 0)).rejects.toMatchObject({ code: 'invalid_sql' })
  })

  it('refuses a condition that is neither true nor false, in a row that reaches it', async () => {
    const run = (...conditions: Expression[]) =>
      filter([computed({ x: [1] })], conditions, runContext().context)[0]!.read((frame) => frame.rows)
    await expect(run(column('x'))).rejects.toMatchObject({ code: 'invalid_sql' })
    expect(await run(literal(false), column('x'))).toBe(0)
  })

  it('leaves a frame as it is if every row passes, and its input if there is no condition', async () => {
    const frame = frameOf(openBatch([request('1', '/', 200)]), 'edge_logs')
    expect(await keep(frame, atLeast('status_code', 200)).read((kept) => kept)).toBe(frame)
    const batch = lazyBatch(frame)
    expect(filter([batch], [], runContext().context)).toEqual([batch])
  })

  it('gives results that may be kept another key for other conditions', () => {
    const batch = openBatch([request('1', '/', 200)])
    const input = lazyBatch(frameOf(batch, 'edge_logs'), partOf(batch, true))
    const keyOf = (...conditions: Expression[]) =>
      filter([input], conditions, runContext().context)[0]!.cached?.key.hash
    const keys = [
      keyOf(equals('url', 'a')),
      keyOf(equals('url', 'b')),
      keyOf(equals('url', 'a'), equals('url', 'b')),
      '',
    ]
    expect(new Set(keys).size).toBe(4)
    expect(keyOf(equals('url', 'a'))).toBe(keys[0])
  })
})
