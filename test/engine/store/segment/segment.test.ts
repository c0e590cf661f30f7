import { describe, expect, it } from 'vitest'
import { decodeUtf8 } from '../../../../src/base/text/utf8.js'
import { none, range } from '../../../../src/engine/execute/columns/selection.js'
import { coldColumnsInMemory, sealCold } from '../../../../src/engine/store/segment/cold.js'
import { createSegment, type SegmentData } from '../../../../src/engine/store/segment/segment.js'
import { edge } from '../../../support/records.js'
import { atOnce, bufferBytes, dictionary, headOf, idsOf, noYield, textsOfColumn } from '../support.js'

async function parts(projects: readonly string[], starts: readonly number[]): Promise<SegmentData> {
  const rows = starts.at(-1)!
  const records = Array.from({ length: rows }, (_, i) => edge({ id: `${i}` }))
  const order = Uint32Array.from(records.keys())
  return {
    source: 'edge_logs',
    day: 5,
    rows,
    minUs: 1,
    maxUs: rows,
    times: { baseUs: 1, unitUs: 1, offsets: order },
    projects: { dictionary: dictionary(projects), starts: Uint32Array.from(starts) },
    columns: new Map([
      ['url', { kind: 'text', codes: new Uint8Array(rows), dictionary: dictionary(['u', 'v']) }],
      ['path', { kind: 'areas', flags: new Uint8Array(rows) }],
      ['execution_time_ms', { kind: 'number', values: new Float64Array(rows) }],
    ]),
    inMetadata: { mask: 0 },
    cold: coldColumnsInMemory(await sealCold(headOf(records).cold, order, noYield)),
  }
}

describe('a segment', () => {
  it('knows the rows of each project, and of no other', async () => {
    const names = Array.from({ length: 9 }, (_, i) => `p${i}`)
    const segment = createSegment(await parts(names, [2, 3, 5, 6, 7, 11, 12, 13, 14, 20]))
    expect(segment.projectRows('p0')).toEqual(range(2, 3, true))
    expect(segment.projectRows('p4')).toEqual(range(7, 11, true))
    expect(segment.projectRows('p8')).toEqual(range(14, 20, true))
    for (const name of ['', 'p', 'p00', 'p9', 'q', '\xff']) expect(segment.projectRows(name)).toBe(none)
  })

  it('may have a single project, or none', async () => {
    expect(createSegment(await parts(['a'], [0, 4])).projectRows('a')).toEqual(range(0, 4, true))
    expect(createSegment(await parts([], [3])).projectRows('a')).toBe(none)
  })

  it('counts its buffers to the byte', async () => {
    const given = await parts(['a', 'b'], [0, 7, 9])
    const { times, projects, columns, cold } = given
    const segment = createSegment(given)
    expect(segment.hotBytes).toBe(bufferBytes([times, projects, columns]))
    expect(segment.coldBytes).toBe(cold.memoryBytes)
  })

  it('reads the texts of one cold column, a stored batch at a time', async () => {
    const segment = createSegment(await parts(['a'], [0, 3000]))
    const all = textsOfColumn(segment, 'event_message')
    expect(all).toEqual(
      Array.from({ length: 3000 }, (_, row) => decodeUtf8(atOnce(segment.openCold()(row)).event_message)),
    )
    for (const row of [0, 383, 384, 2999]) {
      const { from, to, offsets, bytes } = atOnce(segment.readColdTexts('id', row))
      expect([from, to]).toEqual([384 * Math.floor(row / 384), Math.min(3000, 384 * Math.floor(row / 384) + 384)])
      expect([offsets.length, offsets[0], offsets.at(-1)]).toEqual([to - from + 1, 0, bytes.length])
      expect(bytes.subarray(offsets[row - from], offsets[row - from + 1]).toString()).toBe(`${row}`)
    }
  })

  it('decompresses those texts to the memory that it is given', async () => {
    const segment = createSegment(await parts(['a'], [0, 500]))
    const memory = new Uint8Array(10_000)
    const asked: number[] = []
    const { bytes } = atOnce(
      segment.readColdTexts('id', 400, (length) => {
        asked.push(length)
        return memory.subarray(100, 100 + length)
      }),
    )
    expect([asked, bytes.buffer, bytes.byteOffset]).toEqual([[3 * 116], memory.buffer, 100])
    expect(Buffer.from(memory.subarray(100, 106)).toString()).toBe('384385')
  })

  it('opens a reader of its own for each who asks', async () => {
    const segment = createSegment(await parts(['a'], [0, 3000]))
    const [first, second] = [segment.openCold(), segment.openCold()]
    const ids = [2999, 0, 1500].map((row) =>
      [first(row), second(2999 - row)].map((cold) => decodeUtf8(atOnce(cold).id)),
    )
    expect(ids).toEqual([
      ['2999', '0'],
      ['0', '2999'],
      ['1500', '1499'],
    ])
    expect(idsOf(segment).length).toBe(3000)
  })
})
