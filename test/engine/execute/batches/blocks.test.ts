import { afterEach, describe, expect, it, vi } from 'vitest'
import { MIB } from '../../../../src/base/units.js'
import { blocksOf } from '../../../../src/engine/execute/batches/blocks.js'
import { plainFrame } from '../../../../src/engine/execute/expressions/computed-frame.js'
import type { Frame } from '../../../../src/engine/execute/expressions/frame.js'
import { computed } from '../../../../src/engine/execute/expressions/vector.js'
import { noYield } from '../../store/support.js'

afterEach(() => void vi.restoreAllMocks())

/** A frame of `rows` rows that loads the cold columns of at most `most` rows at once. */
function frameOf(rows: number, most = rows): Frame & { loaded: number[] } {
  const loaded: number[] = []
  const load: Frame['load'] = (positions) => {
    const count = Math.min(most, positions.length)
    loaded.push(...positions.subarray(0, count))
    return Promise.resolve({ rows: count, longestBytes: 0 })
  }
  return { ...plainFrame(rows, () => undefined, { load }), loaded }
}

/** The lengths of the blocks if row i takes `msOf(i)` milliseconds. */
async function lengthsOf(frame: Frame, msOf: (row: number) => number, isCold = false): Promise<number[]> {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const lengths: number[] = []
  let next = 0
  for await (const { from, to } of blocksOf(frame, [{ ...computed(() => 1), isCold }], noYield)) {
    expect(from).toBe(next)
    next = to
    lengths.push(to - from)
    for (let row = from; row < to; row++) nowMs += msOf(row)
  }
  expect(next).toBe(frame.rows)
  return lengths
}

describe('blocks of rows', () => {
  it('become longer as long as they are quick, up to a limit', async () => {
    expect(await lengthsOf(frameOf(20_000), () => 0)).toEqual([1, 8, 64, 512, 4096, 4096, 4096, 4096, 3031])
    expect(await lengthsOf(frameOf(0), () => 0)).toEqual([])
    expect(await lengthsOf(frameOf(1), () => 0)).toEqual([1])
  })

  it('are of one row as long as rows take long, and no longer than is quick', async () => {
    const lengths = await lengthsOf(frameOf(1_000), (row) => (row < 100 ? 5 : 0))
    expect(lengths.slice(0, 100)).toEqual(Array(100).fill(1))
    expect(lengths.slice(100)).toEqual([1, 8, 64, 512, 315])
    expect(await lengthsOf(frameOf(100), () => 0.25)).toEqual([1, 8, 10, 10, 10, 10, 10, 10, 10, 10, 10, 1])
    expect(await lengthsOf(frameOf(100), (row) => (row < 73 ? 0 : 5))).toEqual([1, 8, 64, 27])
  })

  it('are short where rows hold long values, whatever the rows before took', async () => {
    const lengthsWith = (bytesAt: (row: number) => number) =>
      lengthsOf({ ...frameOf(1_000), longestAt: bytesAt }, () => 0)
    expect(await lengthsWith(() => 10)).toEqual([1, 8, 64, 512, 415])
    const [, , , ...long] = await lengthsWith((row) => (row < 73 ? 0 : MIB))
    expect([Math.max(...long), long.length < 240]).toEqual([4, true])
    const slow = await lengthsWith((row) => (row === 100 ? 5 * MIB : 0))
    expect(slow).toEqual([1, 8, 64, 27, 1, 484, 415])
  })

  it('have their cold columns loaded, as many as fit', async () => {
    const frame = frameOf(2_000)
    expect(await lengthsOf(frame, () => 0, true)).toEqual([1, 8, 64, 512, 512, 512, 391])
    expect(frame.loaded).toEqual([...Array(2_000).keys()])
    const narrow = frameOf(100, 30)
    expect(await lengthsOf(narrow, () => 0, true)).toEqual([1, 8, 30, 30, 30, 1])
    const quick = frameOf(100)
    await lengthsOf(quick, () => 0)
    expect(quick.loaded).toEqual([])
  })

  it('are followed by a pause, which may end them', async () => {
    const rows: number[] = []
    const walk = async () => {
      const yieldIfDue = () => {
        if (rows.length === 2) throw new Error('unwanted')
        return undefined
      }
      for await (const { from } of blocksOf(frameOf(1_000), [], yieldIfDue)) rows.push(from)
    }
    await expect(walk()).rejects.toThrow('unwanted')
    expect(rows).toEqual([0, 1])
  })
})
