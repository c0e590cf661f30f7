import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import { readKeys } from '../../../src/engine/execute/columns/key-bytes.js'
import type { GroupSink } from '../../../src/engine/execute/grouping/sink.js'
import type { StatesCodec } from '../../../src/engine/execute/grouping/states-codec.js'
import { groupsOf } from '../../../src/engine/execute/operators/group.js'
import type { Aggregate } from '../../../src/plan/aggregates.js'
import { atLeast, count, countWhere, max, mean, min } from '../../../src/plan/builder.js'
import { column, literal } from '../../../src/plan/expression.js'
import { type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import { type GroupStream, keyBytesOf, restKeysOf, type StateGroup } from '../../../src/views/state/group.js'
import { streamsByDay } from '../../../src/views/state/memory-groups.js'
import { type Merging, mergingOf } from '../../../src/views/state/merged-states.js'
import { computed, noYield, runContext } from '../../engine/store/support.js'
import { below, oneOf, type Random } from '../../support/random.js'

/** A row as a view groups it. */
export interface Row {
  project: string | null
  bucketUs: number
  path: Scalar
  code: Scalar
  value: Scalar
}

const value = column('value')
const AGGREGATES = {
  rows: count(),
  large: countWhere(atLeast('value', 3)),
  sum: { fn: 'sum', args: [value] },
  mean: mean('value'),
  least: min('value'),
  most: max('value'),
  quarters: { fn: 'approx_quantiles', args: [value, literal(4)] },
  different: { fn: 'approx_count_distinct', args: [value] },
} satisfies Record<string, Aggregate>

const SINK: GroupSink = {
  op: 'group',
  keys: ['project', 'bucket', 'path', 'code'].map((name) => ({ name, value: column(name) })),
  aggregates: Object.entries(AGGREGATES).map(([name, value]) => ({ name, value })),
}

/** The keys of a rest: the path is a text, the code is none. */
export const REST_KEYS = restKeysOf([true, false])

/** Rows as the executor's groups of a view, as streams by day. */
export interface Grouped {
  merging: Merging
  codec: StatesCodec
  byDay: Map<number, GroupStream>
}

export async function grouped(rows: readonly Row[]): Promise<Grouped> {
  const input = computed({
    project: rows.map(({ project }) => project),
    bucket: rows.map(({ bucketUs }) => new Timestamp(bucketUs)),
    path: rows.map(({ path }) => path),
    code: rows.map(({ code }) => code),
    value: rows.map(({ value }) => value),
  })
  const { groups, aggregation } = await groupsOf([input], SINK, () => false, runContext({ groups: 1e7 }).context)
  const merging = mergingOf(aggregation, noYield)
  return { merging, codec: merging.codec, byDay: await streamsByDay(groups, REST_KEYS, merging) }
}

/** A group of an answer: its keys, and its aggregates in the order of {@link expectedOf}. */
export interface Answered {
  keys: readonly [project: string | null, bucketUs: number, path: Scalar, code: Scalar]
  values: readonly Scalar[]
  isPartial: boolean
}

/** Reads a stream, and gives the groups as an answer has them. */
export async function answerOf(stream: GroupStream, { merging: { aggregation }, codec }: Grouped): Promise<Answered[]> {
  return (await groupsIn(stream)).map((group) => {
    const [project, bucket, path, code] = readKeys(keyBytesOf(group), 4)
    const states = codec.read(group.states)
    return {
      keys: [project as string | null, (bucket as Timestamp).us as number, path!, code!],
      values: aggregation.outputs.map(({ fold, finish }) => finish(states[fold])),
      isPartial: group.isPartial,
    }
  })
}

export async function groupsIn(stream: GroupStream): Promise<StateGroup[]> {
  const groups: StateGroup[] = []
  for await (const batch of stream) groups.push(...batch)
  return groups
}

/** The aggregates of the rows of a group of at most 100 rows, by a look at each. */
export function expectedOf(rows: readonly Row[]): Scalar[] {
  const present = rows.flatMap(({ value }) => (value === null ? [] : [value]))
  const numbers = present.flatMap(numberOf).sort((a, b) => a - b)
  const sum = numbers.reduce((total, number) => total + number, 0)
  const ordered = [...present].sort((a, b) => placeOf(a) - placeOf(b) || (a! < b! ? -1 : a! > b! ? 1 : 0))
  const quarter = (i: number) => numbers[Math.max(1, Math.ceil((i * numbers.length) / 4)) - 1]!
  return [
    rows.length,
    present.filter((value) => numberOf(value).some((number) => number >= 3)).length,
    numbers.length === 0 ? null : sum,
    numbers.length === 0 ? null : sum / numbers.length,
    ordered[0] ?? null,
    ordered.at(-1) ?? null,
    numbers.length === 0 ? null : [0, 1, 2, 3, 4].map(quarter),
    new Set(present.map((value) => JSON.stringify(value))).size,
  ]
}

function numberOf(value: Scalar): number[] {
  if (typeof value === 'number') return [value]
  return value === '7' ? [7] : []
}

/** Booleans come before numbers, numbers before texts. */
const placeOf = (value: Scalar) => ['boolean', 'number', 'string'].indexOf(typeof value)

const VALUES: readonly Scalar[] = [
  ...[0, 1, 2.5, -3, 4.25, 2 ** 40, -(2 ** 40)],
  ...['7', 'NaN', '', '__proto__', 'Infinity', true, false, null],
]
const PATHS: readonly Scalar[] = ['/', '/a', '/users', '__proto__', 'constructor', '…', '', null, 7, true]
const CODES: readonly Scalar[] = [200, 500, '500', null]

export const PROJECTS = ['p', 'q', '__proto__', '', null] as const
/** 2026-11-28, as days since the epoch. */
export const DAY = 20_785

/** Random rows of some projects in the hours of two days. The sums of the values are exact in any order. */
export const randomRows = (random: Random, rows: number, paths: readonly Scalar[] = PATHS): Row[] =>
  Array.from({ length: rows }, () => ({
    project: oneOf(random, PROJECTS),
    bucketUs: DAY * DAY_US + below(random, 2) * DAY_US + below(random, 3) * 8 * HOUR_US,
    path: oneOf(random, paths),
    code: oneOf(random, CODES),
    value: oneOf(random, VALUES),
  }))

const keyOf = ({ project, bucketUs, path, code }: Row) => JSON.stringify([project, bucketUs, path, code])

/** The rows of each group of a day, by the JSON of the keys. */
export function rowsByKey(rows: readonly Row[], day: number): Map<string, Row[]> {
  const byKey = new Map<string, Row[]>()
  for (const row of rows) {
    if (Math.floor(row.bucketUs / DAY_US) !== day) continue
    const known = byKey.get(keyOf(row))
    if (known === undefined) byKey.set(keyOf(row), [row])
    else known.push(row)
  }
  return byKey
}
