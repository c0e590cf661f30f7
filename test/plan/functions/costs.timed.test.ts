import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Cell } from '../../../src/plan/functions/function.js'
import { FUNCTIONS, type FunctionName } from '../../../src/plan/functions/table.js'
import { RawJson, type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import { ADVERSARIAL_JSON, ADVERSARIAL_TEXTS } from '../../support/adversarial.js'
import { cpuMs, slownessNow } from '../../support/cpu-ms.js'
import { below, mulberry32 } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { inTries } from '../../support/tries.js'

/** No call takes longer, so that the cost of the longest texts is linear. A quadratic cost would be minutes. */
const MOST_MS = 50
const LENGTHS = [2 ** 14, 2 ** 17, 2 ** 20]
/** The longest part in a query: a text of SQL has at most 64 KiB. */
const LITERAL_LENGTH = 2 ** 16
/** A collection of the texts of this test may fall into a call, and other load lasts for some calls. */
const TRIES = 20
const PAUSE_MS = 25

/** A text, and the values of the text that a function may be given. */
interface Given {
  text: string
  /** The text, the JSON of the text if any, and a list of the parts. */
  value: Scalar
}

/** The arguments of a call. The arguments that are written in the query are in `literals`, by place. */
type Arguments = readonly Scalar[] | { args: readonly Scalar[]; literals: readonly number[] }
type Cases = (given: Given) => readonly Arguments[]

const NOW = new Timestamp(0)
/** The texts of records are decoded from bytes. A text that is joined of parts costs up to three times as much. */
const decoded = (text: string) => Buffer.from(text).toString()

const one: Cases = ({ value }) => [[value]]
const two: Cases = ({ value, text }) => [
  [value, text],
  [value, decoded(`${text.slice(0, -1)}z`)],
  [value, 'a'],
  [value, 5],
  [value, NOW],
  ['a', value],
  [NOW, value],
]
const many: Cases = ({ value, text }) => [
  [value, text, value],
  [...Array.from({ length: 20 }, (_, i) => `${text.slice(0, 40_000)}${i}`), value],
]
const withUnit: Cases = ({ value }) => [{ args: [value, 'hour'], literals: [1] }]
const withUnitThird: Cases = ({ value }) => [
  { args: [value, value, 'hour'], literals: [2] },
  { args: [NOW, value, 'day'], literals: [2] },
  { args: [value, NOW, 'day'], literals: [2] },
]
const paths: Cases = ({ value }) =>
  ['$', '$.a', '$[100]', '$.zz.a', `$${'.a'.repeat(128)}`, `$${'[0]'.repeat(128)}`].map((path) => ({
    args: [value, path],
    literals: [1],
  }))
const keys: Cases = ({ value, text }) =>
  [['a'], ['a', 'b'], Array.from({ length: 128 }, () => 'a'), [text]].map((path) => ({
    args: [value, ...path],
    literals: path.map((_, i) => i + 1),
  }))
const elements: Cases = ({ value }) => [
  [value, 0],
  [value, 1e6],
]
const conditions: Cases = ({ value }) => [[true, value], [false, true, value].slice(1)]

/** The adversarial arguments of each function: a new function needs some. */
const CASES: Readonly<Record<FunctionName, Cases>> = {
  and: conditions,
  or: ({ value }) => [[false, value]],
  not: one,
  is_null: one,
  is_true: one,
  is_false: one,
  if: ({ value }) => [
    [true, value, value],
    [value, value, value],
  ],
  case: ({ value }) => [[false, value, value]],
  coalesce: ({ value }) => [[null, value]],
  eq: two,
  ne: two,
  lt: two,
  le: two,
  gt: two,
  ge: two,
  in: (given) => [...two(given), ...many(given)],
  in_list: ({ value, text }) => {
    const list = [`${text}x`, text.slice(1), 5, NOW, ...Array.from({ length: 1_000 }, (_, i) => `${i}`)]
    return [{ args: [value, list], literals: [1] }]
  },
  nullif: two,
  greatest: many,
  least: many,
  add: two,
  sub: two,
  mul: two,
  div: two,
  safe_divide: two,
  mod: two,
  neg: one,
  abs: one,
  round: (given) => [...one(given), ...two(given)],
  floor: one,
  ceil: one,
  lower: one,
  upper: one,
  trim: (given) => [...one(given), ...two(given), [given.value, given.text.slice(0, 1)], [given.value, ' ax']],
  length: one,
  concat: many,
  substr: ({ value }) => [
    [value, 1],
    [value, -3],
    [value, 3, 5],
    [value, -1e9, 1e9],
    [value, 500_000, 500_000],
  ],
  starts_with: two,
  ends_with: two,
  url_path: one,
  cast_string: one,
  safe_cast_string: one,
  cast_int64: one,
  safe_cast_int64: one,
  cast_float64: one,
  safe_cast_float64: one,
  cast_bool: one,
  safe_cast_bool: one,
  cast_timestamp: one,
  safe_cast_timestamp: one,
  cast_datetime: one,
  safe_cast_datetime: one,
  cast_date: one,
  safe_cast_date: one,
  timestamp_trunc: withUnit,
  datetime_trunc: withUnit,
  date_trunc: withUnit,
  timestamp_bucket: ({ value }) => [{ args: [value, 5_000_000], literals: [1] }],
  time_add: withUnitThird,
  timestamp_diff: withUnitThird,
  date_diff: withUnitThird,
  extract: withUnit,
  unix_seconds: one,
  unix_millis: one,
  unix_micros: one,
  known_time: one,
  timestamp_seconds: one,
  timestamp_millis: one,
  timestamp_micros: one,
  format_timestamp: ({ value, text }) =>
    [text, text.slice(0, 1_000), '%A'.repeat(500), '%c'.repeat(500), '%E*S'.repeat(250)].flatMap((format) => [
      { args: [format, NOW], literals: [0] },
      { args: [format, value], literals: [0] },
    ]),
  parse_timestamp: ({ value, text }) =>
    [text, text.slice(0, 1_000), '%Y-%m-%d', '%A'.repeat(500), '%E*S', '%s'].map((format) => ({
      args: [format, value],
      literals: [0],
    })),
  json_value: paths,
  json_query: paths,
  to_json_string: one,
  json_object: ({ value, text }) => [
    ['k', value],
    [text, value],
    Array.from({ length: 2_000 }, (_, i) => (i % 2 === 0 ? `${i}` : value)),
  ],
  field: keys,
  field_text: keys,
  repeated: ({ value }) => [[value], [value, true]],
  offset: elements,
  safe_offset: elements,
  like: likes,
  ilike: likes,
  regexp_contains: ({ value }) => PATTERNS.map((pattern) => ({ args: [value, pattern], literals: [1] })),
  regexp_extract: ({ value }) => PATTERNS.map((pattern) => ({ args: [value, pattern], literals: [1] })),
  regexp_replace: ({ value }) =>
    PATTERNS.flatMap((pattern) => ['', '-', '\\0\\0'].map((by) => ({ args: [value, pattern, by], literals: [1, 2] }))),
  contains: searches,
  contains_substr: (given) => searches(given).filter(([, part]) => (part as string).length <= LITERAL_LENGTH),
  replace: (given) => searches(given).flatMap((args) => ['', 'yy'].map((by) => [...(args as Scalar[]), by])),
  split: searches,
}

/** Patterns with many states, with matches almost everywhere, and with matches that read the rest of the text. */
const PATTERNS = [
  'a*b',
  'a.*#|b',
  '(a|b)(.*)(b)',
  '[ab]*a[ab]{300}c',
  '.{0,999}x',
  '\\pL{11}\\pN',
  '\\b',
  '',
  '(?s).*?(.)\\z',
  'x'.repeat(1_000),
  `(${'a|'.repeat(490)}b)+c`,
]

function likes({ value, text }: Given): readonly Arguments[] {
  const patterns = ['%a%b%', '%', '_'.repeat(1_000), `%${'a%'.repeat(300)}z`, text.slice(0, 1_000)]
  return patterns.flatMap((pattern) => [[value, pattern], { args: [value, pattern], literals: [1] }])
}

/** Parts of which almost all occurs everywhere, short and long. */
function searches({ value, text }: Given): readonly (readonly Scalar[])[] {
  const half = text.length >> 1
  const parts = [text.slice(0, 1), text.slice(0, 60), `${text.slice(0, 60)}#`, text.slice(0, half)]
  return [...parts, `${text.slice(0, half >> 1)}#${text.slice(0, half >> 1)}`, text].map((part) => [value, part])
}

/** Characters of a part of a list. */
const PART = 4

function partsOf(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / PART) }, (_, i) => text.slice(PART * i, PART * (i + 1)))
}

function givenOf(name: string, joined: string): Given[] {
  const text = decoded(joined)
  const json = name in ADVERSARIAL_JSON ? [{ text, value: new RawJson(text) }] : []
  return [{ text, value: text }, ...json, { text, value: partsOf(text) }]
}

function timeOf(name: FunctionName, given: Arguments): number {
  const { args, literals } = 'args' in given ? given : { args: given, literals: [] }
  const cells = args.map(
    (value): Cell =>
      () =>
        value,
  )
  const constants = args.map((value, place) => (literals.includes(place) ? value : undefined))
  return cpuMs(() => {
    try {
      FUNCTIONS[name].bind(cells, constants)(0)
    } catch (error) {
      // An error of the query, which costs no more than a value.
      expect(error).toHaveProperty('code')
    }
  })
}

describe('O3b: a function costs no more than its bytes', () => {
  const seed = testSeed()
  const names = Object.keys(ADVERSARIAL_TEXTS)

  it('has adversarial cases for each function', () => {
    expect(Object.keys(CASES).sort()).toEqual(Object.keys(FUNCTIONS).sort())
  })

  for (const name of Object.keys(CASES) as FunctionName[]) {
    const random = mulberry32(seed + name.length)
    const start = below(random, names.length)
    const chosen = Array.from(
      { length: Math.min(names.length, runs(30)) },
      (_, i) => names[(start + 7 * i) % names.length]!,
    )
    it(`${name} (seed ${seed})`, async () => {
      for (const textName of new Set(chosen)) await expectShort(name, textName)
    }, 120_000)
  }
})

async function expectShort(name: FunctionName, textName: string): Promise<void> {
  for (const length of LENGTHS) {
    const given = givenOf(textName, ADVERSARIAL_TEXTS[textName]!(length))
    for (const [i, args] of given.flatMap(CASES[name]).entries()) {
      const ms = await inTries(
        TRIES,
        async () => {
          const ms = timeOf(name, args)
          if (ms <= MOST_MS) return ms
          const quietMs = ms / slownessNow()
          await wait(PAUSE_MS)
          return quietMs
        },
        (ms) => ms <= MOST_MS,
      )
      expect(ms, `${textName}, ${length} characters, case ${i}`).toBeLessThanOrEqual(MOST_MS)
    }
  }
}
