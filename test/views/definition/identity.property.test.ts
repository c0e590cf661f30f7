import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import { viewDefinition } from '../../../src/views/definition/definition.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const identityOf = (text: string, keepUs = HOUR_US): string =>
  viewDefinition(text, { name: 'v', keepUs, place: { line: 1, column: 1 } }).identity

/** The grouping of a view. */
interface Grouped {
  source: string
  where: readonly string[]
  unit: string
  keys: readonly string[]
  aggregates: readonly string[]
}

const SOURCES = ['edge_logs', 'auth_logs', 'edge_logs|auth_logs', 'auth_logs|edge_logs']
const UNITS = ['minute', 'hour', 'day']
const CONDITIONS = [
  "request.method = 'GET'",
  "request.method = 'get'",
  'response.status_code >= 500',
  "response.status_code >= '500'",
  "timestamp >= '2026-11-01'",
  "request.path in ('/a', '/b')",
]
const KEYS = ['request.path', 'request.Path', 'lower(request.path)', 'project', 'level', 'metadata']
const AGGREGATES = [
  'count(*)',
  'count(request.path)',
  'sum(execution_time_ms)',
  'min(execution_time_ms)',
  'countif(a = 1)',
  'countif(a = 2)',
  'approx_quantiles(x, 100)[offset(50)]',
  'approx_quantiles(x, 100)[offset(95)]',
]

function someOf<T>(random: Random, items: readonly T[], most: number): T[] {
  return [...new Set(Array.from({ length: below(random, most + 1) }, () => oneOf(random, items)))]
}

const randomGrouped = (random: Random): Grouped => ({
  source: oneOf(random, SOURCES),
  where: someOf(random, CONDITIONS, 2),
  unit: oneOf(random, UNITS),
  keys: someOf(random, KEYS, 2),
  aggregates: [oneOf(random, AGGREGATES), ...someOf(random, AGGREGATES, 1)],
})

/** A text that is equal for equal groupings: their project is always a key. */
const meaningOf = ({ source, where, unit, keys, aggregates }: Grouped): string => {
  const sorted = (list: readonly string[]) => [...new Set(list)].sort()
  return JSON.stringify([
    source,
    sorted(where),
    unit,
    sorted(keys.filter((key) => key !== 'project')),
    sorted(aggregates),
  ])
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items]
  return items.map(() => left.splice(below(random, left.length), 1)[0]!)
}

/** A text of a grouping, with other names, order, spelling and operators behind the groups each time. */
function textOf(random: Random, { source, where, unit, keys, aggregates }: Grouped): string {
  const name = () => `n${below(random, 1e6)}`
  const items = shuffled(random, [
    ...[`timestamp_trunc(timestamp, ${unit})`, ...keys].map((value) => ({ value, name: name(), isKey: true })),
    ...aggregates.map((value) => ({ value, name: name(), isKey: false })),
  ])
  const isUnion = source.includes('|')
  const table = isUnion
    ? `(${source
        .split('|')
        .map((one) => `select * from ${one}`)
        .join(' union all ')}) as t`
    : source
  const grouped = shuffled(
    random,
    items.filter(({ isKey }) => isKey),
  ).map((item) => {
    return oneOf(random, [item.name, item.value === 'metadata' ? item.name : String(items.indexOf(item) + 1)])
  })
  const [aggregate] = items.filter(({ isKey }) => !isKey)
  const text = [
    `select ${items.map((item) => `${item.value} as ${item.name}`).join(', ')}`,
    `from ${oneOf(random, [table, `(select * from ${table})`])}`,
    where.length === 0 ? oneOf(random, ['', 'where true']) : `where ${shuffled(random, where).join(' and ')}`,
    `group by ${grouped.join(', ')}`,
    oneOf(random, ['', `having ${aggregate!.name} is not null`, `having ${items[0]!.name} is null`]),
    oneOf(random, ['', `order by ${items[0]!.name} desc`, `order by ${items.at(-1)!.name}, 1`]),
    oneOf(random, ['', 'limit 10', 'limit 10 offset 1']),
  ].join(' ')
  return `-- a comment ${name()}\n${spelled(random, text)}${oneOf(random, ['', ';', ' -- end'])}`
}

const KEYWORD =
  /\b(?:select|from|where|group|by|having|order|limit|and|as|union|all|count|sum|lower|timestamp_trunc|is)\b/g

/** The same text with other white space, comments and upper case. */
function spelled(random: Random, text: string): string {
  const upper = text.replace(KEYWORD, (word) => (below(random, 2) === 0 ? word.toUpperCase() : word))
  return upper.replace(/ /g, (blank, at: number) => {
    const isInText = (upper.slice(0, at).match(/'/g) ?? []).length % 2 === 1
    return isInText ? blank : oneOf(random, [' ', ' ', '\n', '\t', '  ', ' /* x */ ', '\n-- y\n'])
  })
}

describe('the identity of a view', () => {
  const seed = testSeed()

  it(`is the same for the same grouping alone (seed ${seed})`, () => {
    const random = mulberry32(seed)
    const byIdentity = new Map<string, string>()
    const byMeaning = new Map<string, string>()
    for (let i = 0; i < runs(2_000); i++) {
      const grouped = randomGrouped(random)
      const meaning = meaningOf(grouped)
      for (const text of [textOf(random, grouped), textOf(random, grouped)]) {
        const identity = identityOf(text, oneOf(random, [HOUR_US, 90 * DAY_US]))
        expect(identity, text).toMatch(/^[\da-f]{64}$/)
        expect(byIdentity.get(identity) ?? meaning, text).toBe(meaning)
        expect(byMeaning.get(meaning) ?? identity, text).toBe(identity)
        byIdentity.set(identity, meaning)
        byMeaning.set(meaning, identity)
      }
    }
  })

  it('does not change with the program: views would be built again', () => {
    const identities = [
      "select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs where a = 'x' group by hour",
      `select timestamp_trunc(timestamp, day) as day, request.path, approx_quantiles(ms, 100)[offset(95)], avg(ms)
       from (select * from edge_logs union all select * from auth_logs) where timestamp > '2026-11-01' group by 1, 2`,
    ].map((text) => identityOf(text))
    expect(identities).toEqual([
      '2a5e2a816991170910fe396ae0b059725b9da2b1acff460192467ec110fb7094',
      '69c667ef47e784be0a2ba00a0dccd075d8bcfff39fc9077f00f50466d7329e7c',
    ])
  })

  it('is that of the columns of groups', () => {
    const define = (text: string) => viewDefinition(text, { name: 'v', keepUs: HOUR_US, place: { line: 1, column: 1 } })
    const start = 'select timestamp_trunc(timestamp, hour) as hour,'
    const one = define(
      `${start} count(*) as n, max(ms) as most, level, request.path from edge_logs group by hour, level, path`,
    )
    const other = define(
      `${start} request.path as p, project, max(ms) as m, level, count(*) from edge_logs
       group by project, p, hour, level`,
    )
    expect(other.source).toEqual(one.source)
    expect(other.grouping.at(-1)).toEqual(one.grouping.at(-1))
  })
})
