import { describe, expect, it } from 'vitest'
import type { Batch } from '../../../../src/engine/arrow/columns/batch.js'
import { range, type Selection } from '../../../../src/engine/arrow/columns/selection.js'
import { computedFrame, mappedFrame } from '../../../../src/engine/arrow/expressions/frame.js'
import { RawJson, type Scalar, Timestamp } from '../../../../src/plan/values.js'
import { edge, invocation } from '../../../support/records.js'
import { frameOf, openBatch, sealedBatch, valuesOf } from '../support.js'

const calls = [
  { function_id: 'f', execution_time_ms: 1.5 },
  { function_id: '' },
  {},
  { function_id: 'g', execution_time_ms: 0, response: { status_code: 500 } },
].map((metadata, i) => invocation({ id: `${i}`, timestampUs: i, event_message: `m${i}`, metadata }))

/** Both forms of the calls, in order of time. */
const forms = async () => [openBatch(calls), await sealedBatch(calls)]
const HOT = ['timestamp', 'function_id', 'execution_time_ms', 'status_code']
const EXPECTED: Scalar[][] = [
  [new Timestamp(0), 'f', 1.5, null],
  [new Timestamp(1), null, null, null],
  [new Timestamp(2), null, null, null],
  [new Timestamp(3), 'g', 0, 500],
]
const some: Selection = { kind: 'indices', indices: Uint32Array.of(0, 3), timeOrdered: true }

describe('the frame of stored rows', () => {
  it('has the hot columns of the selected rows; an empty text of a category is absent', async () => {
    for (const batch of await forms()) {
      expect(valuesOf(frameOf(batch, 'function_edge_logs'), HOT)).toEqual(EXPECTED)
      expect(valuesOf(frameOf(batch, 'function_edge_logs', range(1, 3, true)), HOT)).toEqual(EXPECTED.slice(1, 3))
      expect(valuesOf(frameOf(batch, 'function_edge_logs', some), HOT)).toEqual([EXPECTED[0], EXPECTED[3]])
      const frame = frameOf(batch, 'function_edge_logs', some)
      expect([frame.rowOf(0), frame.rowOf(1), frame.column('url')]).toEqual([0, 3, undefined])
      expect(frame.column('function_id')).toBe(frame.column('function_id'))
    }
  })

  it('keeps empty texts of URLs and projects', () => {
    const records = [edge({ project: '', metadata: { request: { url: '' } } }), edge({ project: null })]
    expect(valuesOf(frameOf(openBatch(records), 'edge_logs'), ['project', 'url'])).toEqual([
      ['', ''],
      [null, null],
    ])
  })

  it('has the cold columns of the positions that were loaded last', async () => {
    const cold = ['id', 'event_message', 'metadata']
    const expectedOf = (i: number) => [`${i}`, `m${i}`, new RawJson(calls[i]!.metadata)]
    for (const batch of await forms()) {
      const frame = frameOf(batch, 'function_edge_logs', some)
      await frame.load(0, 2)
      expect(valuesOf(frame, cold)).toEqual([expectedOf(0), expectedOf(3)])
      await frame.load(1, 2)
      expect(cold.map((name) => frame.column(name)!.at(1))).toEqual(expectedOf(3))
      expect(frame.column('id')!.isCold).toBe(true)
    }
  })

  it('is loaded at once from memory, and later from a disk', async () => {
    const batch = openBatch(calls)
    expect(frameOf(batch, 'function_edge_logs').load(0, 4)).toBeUndefined()
    const slow: Batch = {
      ...batch,
      projectRows: batch.projectRows,
      openCold() {
        const read = batch.openCold()
        return (row) => (row % 2 === 0 ? read(row) : Promise.resolve(read(row)))
      },
    }
    const frame = frameOf(slow, 'function_edge_logs')
    await frame.load(0, 4)
    expect(valuesOf(frame, ['id'])).toEqual([['0'], ['1'], ['2'], ['3']])
    const damaged: Batch = { ...slow, openCold: () => () => Promise.reject(new Error('damaged')) }
    await expect(frameOf(damaged, 'function_edge_logs').load(0, 1)).rejects.toThrow('damaged')
  })
})

describe('a frame of some rows of another', () => {
  it('has their columns, and its own', async () => {
    for (const batch of await forms()) {
      const frame = mappedFrame(
        frameOf(batch, 'function_edge_logs'),
        Uint32Array.of(0, 0, 3),
        new Map([['m', ['x', 'y', 'z']]]),
      )
      expect(frame.rows).toBe(3)
      expect(valuesOf(frame, [...HOT, 'm'])).toEqual([
        [...EXPECTED[0]!, 'x'],
        [...EXPECTED[0]!, 'y'],
        [...EXPECTED[3]!, 'z'],
      ])
      await frame.load(0, 3)
      expect(valuesOf(frame, ['id'])).toEqual([['0'], ['0'], ['3']])
      await frame.load(2, 3)
      expect(frame.column('id')!.at(2)).toBe('3')
      expect([frame.rowOf(2), frame.column('nothing'), frame.stored]).toEqual([3, undefined, undefined])
      expect(frame.load(1, 1)).toBeUndefined()
    }
  })
})

describe('a frame of computed rows', () => {
  it('has the values of its columns', () => {
    const frame = computedFrame(2, new Map([['x', [1, null]]]))
    expect([valuesOf(frame, ['x']), frame.column('y'), frame.rowOf(1)]).toEqual([[[1], [null]], undefined, 1])
    expect(frame.load(0, 2)).toBeUndefined()
  })
})
