import { expect, it } from 'vitest'
import { createEvaluate } from '../../../../src/engine/execute/expressions/evaluate.js'
import { select } from '../../../../src/engine/execute/operators/select.js'
import { contains } from '../../../../src/plan/builder.js'
import { call, column, literal } from '../../../../src/plan/expression.js'
import { edge } from '../../../support/records.js'
import {
  computed,
  frameOf,
  lazyBatch,
  loadRange,
  openBatch,
  readAllBatches,
  runContext,
  valuesOf,
} from '../../store/support.js'

const { context } = runContext()
const doubled = { name: 'y', value: call('mul', column('x'), literal(2)) }

it('a projection has its columns alone, in batches as before', async () => {
  const batches = select(
    [computed({ x: [1, 2] }), computed({ x: [3] })],
    [doubled, { name: 'z', value: literal('a') }],
    context,
  )
  const read = await readAllBatches(batches, (frame) => [valuesOf(frame, ['y', 'z']), frame.column('x')])
  expect(read).toEqual([
    [
      [
        [2, 'a'],
        [4, 'a'],
      ],
      undefined,
    ],
    [[[6, 'a']], undefined],
  ])
})

it('a projection evaluates a column when it is read, and raises no other error', async () => {
  const failing = { name: 'f', value: call('div', literal(1), column('x')) }
  const [batch] = select([computed({ x: [0, 4] })], [doubled, failing], context)
  await batch!.read((frame) => {
    expect(valuesOf(frame, ['y'])).toEqual([[0], [8]])
    expect(frame.column('f')!.at(1)).toBe(0.25)
    expect(() => frame.column('f')!.at(0)).toThrow(expect.objectContaining({ code: 'invalid_sql' }))
  })
})

it('a projection of stored rows has their texts, areas and cold columns under any name', async () => {
  const records = ['/rest/a', '/auth'].map((path, i) =>
    edge({ id: `${i}`, metadata: { request: { path, url: path } } }),
  )
  const columns = ['url', 'path', 'id'].map((name) => ({ name: `${name}2`, value: column(name) }))
  const [batch] = select([lazyBatch(frameOf(openBatch(records), 'edge_logs'))], columns, context)
  await batch!.read(async (frame) => {
    await loadRange(frame, 0, 2)
    expect(valuesOf(frame, ['url2', 'id2'])).toEqual([
      ['/rest/a', '0'],
      ['/auth', '1'],
    ])
    const { at } = createEvaluate(frame)(contains('path2', '/rest'))
    expect([at(0), at(1), frame.column('url2')!.kind, frame.stored]).toEqual([true, false, 'computed', undefined])
  })
})

it('a projection does not tell times, since its timestamp may be another column', () => {
  const batch = openBatch([edge({ timestampUs: 5 })])
  const [projected] = select(
    [lazyBatch(frameOf(batch, 'edge_logs'))],
    [{ name: 'timestamp', value: literal(1) }],
    context,
  )
  expect(projected).toMatchObject({ minUs: Number.NEGATIVE_INFINITY, maxUs: Number.POSITIVE_INFINITY })
})
