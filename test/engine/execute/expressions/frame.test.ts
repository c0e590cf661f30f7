import { describe, expect, it } from 'vitest'
import type { Batch } from '../../../../src/engine/execute/columns/batch.js'
import { range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import { computedFrame, mappedFrame } from '../../../../src/engine/execute/expressions/computed-frame.js'
import type { Frame } from '../../../../src/engine/execute/expressions/frame.js'
import { computed, isCold } from '../../../../src/engine/execute/expressions/vector.js'
import { RawJson, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'
import { edge, invocation } from '../../../support/records.js'
import { frameOf, loadRange, noYield, openBatch, sealedBatch, valuesOf } from '../../store/support.js'

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
      await loadRange(frame, 0, 2)
      expect(valuesOf(frame, cold)).toEqual([expectedOf(0), expectedOf(3)])
      await loadRange(frame, 1, 2)
      expect(cold.map((name) => frame.column(name)!.at(1))).toEqual(expectedOf(3))
      expect(isCold(frame.column('id')!)).toBe(true)
    }
  })

  it('is loaded from memory and from a disk', async () => {
    const batch = openBatch(calls)
    expect(await loadRange(frameOf(batch, 'function_edge_logs'), 0, 4)).toBe(4)
    const slow: Batch = {
      ...batch,
      projectRows: batch.projectRows,
      openCold() {
        const read = batch.openCold()
        return (row) => (row % 2 === 0 ? read(row) : Promise.resolve(read(row)))
      },
    }
    const frame = frameOf(slow, 'function_edge_logs')
    await loadRange(frame, 0, 4)
    expect(valuesOf(frame, ['id'])).toEqual([['0'], ['1'], ['2'], ['3']])
    const damaged: Batch = { ...slow, openCold: () => () => Promise.reject(new Error('damaged')) }
    await expect(loadRange(frameOf(damaged, 'function_edge_logs'), 0, 1)).rejects.toThrow('damaged')
  })
})

describe('cold columns', () => {
  const count = 2_000
  const batch = openBatch(Array.from({ length: count }, (_, i) => edge({ id: `${i}`, timestampUs: i })))
  /** The batch with `bytes` bytes of metadata in each row, and a list of the rows that are read. */
  function withRows(bytes: number) {
    const read: number[] = []
    const openCold: Batch['openCold'] = () => (row) => {
      read.push(row)
      return { id: Buffer.from(`${row}`), event_message: Buffer.alloc(0), metadata: Buffer.alloc(bytes) }
    }
    return { slow: { ...batch, projectRows: batch.projectRows, openCold }, read }
  }

  it('are loaded up to a number of bytes, and one row in any case', async () => {
    const loaded = (bytes: number) => loadRange(frameOf(withRows(bytes).slow, 'edge_logs'), 0, 512)
    expect(await loaded(1_000)).toBe(512)
    expect(await loaded(10_000)).toBe(105)
    expect(await loaded(2_000_000)).toBe(1)
  })

  it('are opened and counted if they are asked for, and no others', async () => {
    const opened: (readonly string[] | undefined)[] = []
    const { slow } = withRows(1_000_000)
    const openCold: Batch['openCold'] = (columns) => {
      opened.push(columns)
      return slow.openCold(columns)
    }
    const frame = frameOf({ ...slow, openCold }, 'edge_logs')
    const load = async () => (await frame.load(Uint32Array.of(1, 5, 7), noYield)).rows
    const id = frame.column('id')!
    expect([await load(), id.at(5), await load(), opened]).toEqual([3, '5', 3, [['id']]])
    const metadata = frame.column('metadata')!
    expect([await load(), id.at(5), (metadata.at(5) as RawJson).text.length]).toEqual([2, '5', 1_000_000])
    expect(opened).toEqual([['id'], ['id', 'metadata']])
  })

  it('are read with a pause after each row, which may end it', async () => {
    const { slow, read } = withRows(1)
    let yields = 0
    const yieldIfDue = () => {
      if (++yields === 3) throw new Error('unwanted')
      return yields === 1 ? Promise.resolve() : undefined
    }
    await expect(loadRange(frameOf(slow, 'edge_logs'), 0, 512, yieldIfDue)).rejects.toThrow('unwanted')
    expect(read).toEqual([0, 1, 2])
  })

  it('of a frame over another are read at its rows alone, each once', async () => {
    const { slow, read } = withRows(1)
    const frame = mappedFrame(
      mappedFrame(frameOf(slow, 'edge_logs'), Uint32Array.of(3, 500, 500, 1_999)),
      Uint32Array.of(1, 2, 3),
    )
    expect(await loadRange(frame, 0, 3)).toBe(3)
    expect(read).toEqual([500, 1_999])
    expect(valuesOf(frame, ['id'])).toEqual([['500'], ['500'], ['1999']])
  })

  it('of rows far apart are copied, so that they keep no more memory than their own', async () => {
    const memory = Buffer.alloc(1_000, 'x')
    const openCold: Batch['openCold'] = () => () => ({ id: memory, event_message: memory, metadata: memory })
    const indices = Uint32Array.from({ length: 20 }, (_, i) => 100 * i)
    const slow = { ...batch, projectRows: batch.projectRows, openCold }
    const frame = frameOf(slow, 'edge_logs', { kind: 'indices', indices, timeOrdered: true })
    await loadRange(frame, 0, 20)
    memory.fill('y')
    expect(frame.column('id')!.at(3)).toBe('x'.repeat(1_000))
  })
})

describe('a frame of some rows of another', () => {
  it('has their columns, and its own', async () => {
    for (const batch of await forms()) {
      const frame = mappedFrame(frameOf(batch, 'function_edge_logs'), Uint32Array.of(0, 0, 3), {
        columns: new Map([['m', computed((i) => ['x', 'y', 'z'][i]!)]]),
        longestAt: undefined,
      })
      expect(frame.rows).toBe(3)
      expect(valuesOf(frame, [...HOT, 'm'])).toEqual([
        [...EXPECTED[0]!, 'x'],
        [...EXPECTED[0]!, 'y'],
        [...EXPECTED[3]!, 'z'],
      ])
      await loadRange(frame, 0, 3)
      expect(valuesOf(frame, ['id'])).toEqual([['0'], ['0'], ['3']])
      await loadRange(frame, 2, 3)
      expect(frame.column('id')!.at(2)).toBe('3')
      expect([frame.rowOf(2), frame.column('nothing'), frame.stored]).toEqual([3, undefined, undefined])
      expect(await loadRange(frame, 1, 1)).toBe(0)
    }
  })
})

it('a frame over others knows the longest value of each row in any of them', () => {
  const base = mappedFrame(computedFrame(3, new Map()), Uint32Array.of(0, 1, 2))
  expect(base.longestAt).toBeUndefined()
  const measured = (frame: Frame, positions: readonly number[], lengths: readonly number[]) =>
    mappedFrame(frame, Uint32Array.from(positions), { columns: new Map(), longestAt: (i) => lengths[i]! })
  const one = measured(base, [0, 0, 2], [1, 20, 3])
  const two = measured(one, [1, 1, 2, 0], [5, 50, 5, 0])
  const last = mappedFrame(two, Uint32Array.of(3, 0, 1, 2))
  expect([0, 1, 2, 3].map((i) => last.longestAt!(i))).toEqual([1, 20, 50, 5])
})

describe('a frame of computed rows', () => {
  it('has the values of its columns', async () => {
    const frame = computedFrame(2, new Map([['x', [1, null]]]))
    expect([valuesOf(frame, ['x']), frame.column('y'), frame.rowOf(1)]).toEqual([[[1], [null]], undefined, 1])
    expect(await loadRange(frame, 0, 2)).toBe(2)
  })
})
