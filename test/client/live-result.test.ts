import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLiveResult } from '../../src/client/live-result.js'
import type { Row } from '../../src/client/table/table.js'

const KEY = ['hour', '__proto__']
type Group = readonly [key: readonly unknown[], count: number]

/** Written as text, since `{ __proto__: … }` would set a prototype. */
const rowText = ([[hour, name], count]: Group) =>
  `{"hour":${JSON.stringify(hour)},"__proto__":${JSON.stringify(name)},"count":${count}}`
const rowsText = (groups: readonly Group[]) => `[${groups.map(rowText).join()}]`
const textOf = (key: readonly unknown[]) => JSON.stringify(key)

const snapshotOf = (groups: readonly Group[]) => ({
  event: 'snapshot',
  data: `{"result":${rowsText(groups)},"key":${JSON.stringify(KEY)}}`,
})

/** The change from a state to another, as a service computes it. */
function changeOf(before: readonly Group[], after: readonly Group[]) {
  const [counts, keys] = [new Map(before.map(([key, count]) => [textOf(key), count])), new Set<string>()]
  for (const [key] of after) keys.add(textOf(key))
  const upsert = after.filter(([key, count]) => counts.get(textOf(key)) !== count)
  const deleted = before.map(([key]) => key).filter((key) => !keys.has(textOf(key)))
  return { event: 'change', data: `{"upsert":${rowsText(upsert)},"delete":${JSON.stringify(deleted)}}` }
}

const sorted = (texts: readonly string[]) => [...texts].sort()
const textsOf = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row))

describe('a live result', () => {
  const value = fc.constantFrom(null, 500, '500', true, 0, '', 'a', '__proto__', -1.5, 'ä🙂')
  const groups = fc
    .uniqueArray(fc.tuple(fc.tuple(value, value), fc.nat(3)), { selector: ([key]) => textOf(key), maxLength: 12 })
    .map((all) => all as readonly Group[])

  it('is the set of rows that is computed again, after any snapshots and changes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(groups, fc.boolean()), { minLength: 1, maxLength: 8 }), (states) => {
        const result = createLiveResult()
        let before: readonly Group[] | undefined
        for (const [state, isWhole] of states) {
          const isSnapshot = isWhole || before === undefined
          const rows = result.apply(isSnapshot ? snapshotOf(state) : changeOf(before!, state))
          expect(sorted(textsOf(rows))).toEqual(sorted(state.map(rowText)))
          before = state
        }
      }),
    )
  })

  const BY = { ascending: 1, descending: -1 } as const
  type Direction = keyof typeof BY
  /** Rows in the order of hour and name, or of name and hour, each in a direction. */
  const inOrder = (all: readonly Group[], first: 0 | 1, one: Direction, other: Direction) =>
    [...all].sort(
      ([a], [b]) =>
        BY[one] * (Number(a[first] ?? -1) - Number(b[first] ?? -1)) ||
        BY[other] * (Number(a[1 - first] ?? -1) - Number(b[1 - first] ?? -1)),
    )
  const CELLS = [null, 0, 5, 7, 12].flatMap((hour) => [null, 3, 10, 20].map((name) => [[hour, name], 1] as Group))

  it.each(
    ([0, 1] as const).flatMap((first) =>
      (['ascending', 'descending'] as const).flatMap((one) =>
        (['ascending', 'descending'] as const).map((other) => [first, one, other] as const),
      ),
    ),
  )('has new rows at their place in the order of keys: %i first, %s, then %s', (first, one, other) => {
    fc.assert(
      fc.property(fc.subarray(CELLS, { minLength: 1, maxLength: CELLS.length - 1 }), (added) => {
        const result = createLiveResult()
        const all = inOrder(CELLS, first, one, other)
        result.apply(snapshotOf(all))
        const kept = all.filter((group) => !added.includes(group))
        result.apply(changeOf(all, kept))
        expect(textsOf(result.apply(changeOf(kept, all)))).toEqual(all.map(rowText))
      }),
    )
  })

  it('has new rows at the end if the rows are in no order of keys', () => {
    const group = (hour: number, count = 1): Group => [[hour, 'a'], count]
    const states = [
      [group(5), group(3), group(9)],
      [group(5), group(3), group(9, 2), group(4), group(10)],
      [group(5), group(9, 2), group(10), group(3, 7)],
    ]
    const result = createLiveResult()
    result.apply(snapshotOf(states[0]!))
    expect(textsOf(result.apply(changeOf(states[0]!, states[1]!)))).toEqual(states[1]!.map(rowText))
    const changed = [group(5), group(3, 7), group(9, 2), group(10)]
    expect(textsOf(result.apply(changeOf(states[1]!, states[2]!)))).toEqual(changed.map(rowText))
  })

  it('takes two keys for one if JavaScript reads them as one, as the service does', () => {
    const result = createLiveResult()
    const data = '{"result":[{"n":9007199254740993,"m":1},{"n":"9007199254740993","m":1}],"key":["n"]}'
    result.apply({ event: 'snapshot', data })
    const change = '{"upsert":[{"n":"9007199254740993","m":2}],"delete":[[9007199254740992]]}'
    expect(result.apply({ event: 'change', data: change })).toEqual([{ n: '9007199254740993', m: 2 }])
  })

  it('keeps integers that no double holds', () => {
    const result = createLiveResult()
    const data = '{"result":[{"n":9007199254740993},{"n":18446744073709551615}],"key":["n"]}'
    expect(result.apply({ event: 'snapshot', data })).toEqual([
      { n: '9007199254740993' },
      { n: '18446744073709551615' },
    ])
    const change = '{"upsert":[{"n":9007199254740995}],"delete":[[9007199254740993]]}'
    const changed = [{ n: '9007199254740995' }, { n: '18446744073709551615' }]
    expect(result.apply({ event: 'change', data: change })).toEqual(changed)
  })
})
