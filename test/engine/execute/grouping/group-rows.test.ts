import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Block } from '../../../../src/engine/execute/batches/blocks.js'
import type { TextColumn } from '../../../../src/engine/execute/columns/batch.js'
import { KeyBytes, readKeys } from '../../../../src/engine/execute/columns/key-bytes.js'
import { range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import { computedFrame } from '../../../../src/engine/execute/expressions/computed-frame.js'
import { createEvaluate } from '../../../../src/engine/execute/expressions/evaluate.js'
import type { Frame } from '../../../../src/engine/execute/expressions/frame.js'
import { storedFrame } from '../../../../src/engine/execute/expressions/stored-frame.js'
import { groupRows } from '../../../../src/engine/execute/grouping/group-rows.js'
import { kindsOf } from '../../../../src/engine/execute/stages/source-kinds.js'
import { call, column, type Expression, literal } from '../../../../src/plan/expression.js'
import { type Scalar, Timestamp } from '../../../../src/plan/values/values.js'
import { edge } from '../../../support/records.js'
import { dictionary, frameOf, openBatch, rowsOf, sealedBatch } from '../../store/support.js'

const wholeOf = ({ rows }: Frame): Block => ({ from: 0, to: rows })

/** The keys of each group, and the positions of the rows of the group in order. */
function groupsOf(frame: Frame, keys: readonly Expression[], block = wholeOf(frame)): [Scalar[], number[]][] {
  const evaluate = createEvaluate(frame)
  const { rows, ends, addKeys } = groupRows(frame, keys.map(evaluate), block)
  const bytes = new KeyBytes()
  return Array.from(ends).map((end, i) => {
    bytes.clear()
    addKeys(i, bytes)
    const start = ends[i - 1] ?? 0
    const positions = Array.from({ length: end - start }, (_, j) =>
      rows.positions === undefined ? rows.from + start + j : rows.positions[start + j]!,
    )
    return [readKeys(bytes.bytes, keys.length), positions]
  })
}

/** The expected groups, computed a row at a time, in the order of the first rows of the groups. */
function expectedGroups(values: readonly Scalar[][], { from, to }: Block): [Scalar[], number[]][] {
  const groups = new Map<string, [Scalar[], number[]]>()
  for (let position = from; position < to; position++) {
    const key = JSON.stringify(values[position])
    const group = groups.get(key) ?? [values[position]!, []]
    groups.set(key, group)
    group[1].push(position)
  }
  return [...groups.values()]
}

it('puts rows of one group side by side, ascending, whatever the width of the codes', () => {
  const arbitrary = fc.record({
    codes: fc.array(fc.nat(4), { minLength: 1, maxLength: 40 }),
    modulus: fc.integer({ min: 1, max: 4 }),
    array: fc.constantFrom(Uint8Array, Uint16Array, Uint32Array),
  })
  fc.assert(
    fc.property(arbitrary, ({ codes, modulus, array }) => {
      const url: TextColumn = { kind: 'text', codes: new array(codes), dictionary: dictionary(['a', 'b', 'c', 'd']) }
      const some = Uint32Array.from(codes.keys()).filter((row) => row % modulus === 0)
      const batch = { ...openBatch([edge()]), rows: codes.length, columns: new Map([['url', url]]) }
      const selections: Selection[] = [
        range(1, codes.length, false),
        { kind: 'indices', indices: some, timeOrdered: true },
      ]
      for (const selection of selections) {
        const frame = storedFrame(batch, selection, kindsOf('edge_logs'))
        const rows = rowsOf(selection)
        const values = rows.map((row) => [[null, 'a', 'b', 'c', 'd'][codes[row]!]!])
        expect(groupsOf(frame, [column('url')])).toEqual(expectedGroups(values, wholeOf(frame)))
        const { rows: grouped } = groupRows(frame, [createEvaluate(frame)(column('url'))], wholeOf(frame))
        const positions = groupsOf(frame, [column('url')]).flatMap(([, of]) => of)
        expect(rowsOf(grouped.selection!)).toEqual(positions.map((position) => rows[position]))
      }
    }),
  )
})

describe('the rows of a block', () => {
  it('are one group without keys', () => {
    const frame = frameOf(openBatch([edge(), edge(), edge()]), 'edge_logs')
    expect(groupsOf(frame, [])).toEqual([[[], [0, 1, 2]]])
    expect(groupsOf(frame, [], { from: 1, to: 3 })).toEqual([[[], [1, 2]]])
  })

  it('are grouped by any values, by combinations of keys of any kind, in blocks as in one', async () => {
    const text = fc.constantFrom('/a', '/b', 'http://h/a?x', undefined, '')
    const record = fc.record({
      url: text,
      status: fc.constantFrom(200, 404, undefined),
      timestampUs: fc.nat(3_500_000),
    })
    const keys: Expression[] = [
      column('url'),
      column('status_code'),
      call('timestamp_trunc', column('timestamp'), literal('second')),
      call('url_path', column('url')),
      call('lower', column('url')),
      call('add', column('status_code'), literal(1)),
      literal('x'),
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 20 }),
        fc.subarray(keys, { minLength: 1, maxLength: 4 }),
        async (given, by) => {
          const records = given.map(({ url, status, timestampUs }) =>
            edge({ timestampUs, metadata: { request: { url }, response: { status_code: status } } }),
          )
          for (const batch of [openBatch(records), await sealedBatch(records)]) {
            const frame = frameOf(batch, 'edge_logs', batch.projectRows('a'))
            const evaluate = createEvaluate(frame)
            const values = given.map((_, position) => by.map((key) => evaluate(key).at(position)))
            const cut = Math.floor(given.length / 2)
            for (const block of [wholeOf(frame), { from: 0, to: cut }, { from: cut, to: given.length }]) {
              const sorted = (groups: [Scalar[], number[]][]) => groups.filter(([, of]) => of.length > 0).sort(byFirst)
              const merged = new Map<string, [Scalar[], number[]]>()
              // Spans of the same bucket, and entries with the same value, are merged later by the bytes of the keys.
              for (const [key, of] of groupsOf(frame, by, block)) {
                const group = merged.get(JSON.stringify(key))
                if (group === undefined) merged.set(JSON.stringify(key), [key, of])
                else group[1].push(...of)
              }
              for (const [, of] of merged.values()) of.sort((a, b) => a - b)
              expect(sorted([...merged.values()])).toEqual(sorted(expectedGroups(values, block)))
            }
          }
        },
      ),
    )
  })

  it('of time alone are spans, without a look at rows', async () => {
    const batch = await sealedBatch([0, 1, 2].map((second) => edge({ timestampUs: second * 1e6 })))
    const frame = frameOf(batch, 'edge_logs', batch.projectRows('a'))
    const key = call('timestamp_trunc', column('timestamp'), literal('second'))
    const { rows } = groupRows(frame, [createEvaluate(frame)(key)], wholeOf(frame))
    expect(rows.positions).toBeUndefined()
    expect(groupsOf(frame, [key])).toEqual([0, 1, 2].map((second) => [[new Timestamp(second * 1e6)], [second]]))
  })

  it('by a stored number are grouped by its value, absent ones too, and by a constant all at once', () => {
    const statuses = [500, 200, undefined, 0.5, 500, undefined, 70_000]
    const frame = frameOf(
      openBatch(statuses.map((status_code) => edge({ metadata: { response: { status_code } } }))),
      'edge_logs',
    )
    expect(groupsOf(frame, [column('status_code')])).toEqual([
      [[500], [0, 4]],
      [[200], [1]],
      [[null], [2, 5]],
      [[0.5], [3]],
      [[70_000], [6]],
    ])
    expect(groupsOf(frame, [literal('x')])).toEqual([[['x'], [0, 1, 2, 3, 4, 5, 6]]])
    expect(groupsOf(frame, [literal('x'), column('status_code')], { from: 3, to: 5 })).toEqual([
      [['x', 0.5], [3]],
      [['x', 500], [4]],
    ])
  })

  it('that were computed are grouped by their values, and 1 and 1.0 are one group, unlike 1 and "1"', () => {
    const values = [1, '1', null, 1, true, null, '1']
    const frame = computedFrame(values.length, new Map([['x', values]]))
    expect(groupsOf(frame, [column('x')])).toEqual([
      [[1], [0, 3]],
      [['1'], [1, 6]],
      [[null], [2, 5]],
      [[true], [4]],
    ])
  })
})

const byFirst = ([, a]: [unknown, number[]], [, b]: [unknown, number[]]) => a[0]! - b[0]!
