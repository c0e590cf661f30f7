import { beforeAll, describe, expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import type { ArrowEngine } from '../../../src/engine/store/engine.js'
import { limited } from '../../../src/plan/limited.js'
import type { Plan } from '../../../src/plan/plan.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { nested, times } from '../../support/costly-sql.js'
import { appendAll, openEngine, readAll } from '../../support/engine.js'
import { loopGap } from '../../support/loop-gap.js'
import { edge } from '../../support/records.js'
import { inTries } from '../../support/tries.js'

/** The limit of O3 for /health. */
const MOST_MS = 100
const TRIES = 4
/** Queries of seconds are ended: each slice of a query is as long as the others. */
const QUERY_MS = 2_000
const MANY = 900

const ROWS = 'from edge_logs'
/** Many items, each followed by a comma. */
const items = (text: (i: number) => string, count = MANY) => times(count, (i) => `${text(i)},`)
/** A message that differs from item to item. */
const longer = (i: number, text = 'event_message') => `concat(${text}, '${i}')`
const tripled = nested(12, 'replace(', 'id', ", 'a', 'aaa')")
const grown = nested(5, 'replace(', "'aaaaaaaaaaaa'", ", 'a', 'aaaaaaaaaa')")
const long = items(() => `'${'x'.repeat(2_900)}'`, 19)

/** Texts of which each row costs seconds, by what they do with a message of a megabyte. */
const TEXTS: Readonly<Record<string, string>> = {
  'nested calls': `select length(${nested(MANY, 'upper(', 'event_message', ')')}) ${ROWS}`,
  'calls side by side': `select ${times(MANY, (i) => `length(${longer(i)})+`)} 0 ${ROWS}`,
  columns: `select ${items((i) => `lower(event_message) c${i}`)} 1 ${ROWS}`,
  'lengths of columns': `select ${items((i) => `length(substr(event_message, ${i + 1})) c${i}`)} 1 ${ROWS}`,
  'the same column': `select ${items((i) => `event_message c${i}`)} 1 ${ROWS}`,
  conditions: `select id ${ROWS} where ${times(MANY, (i) => `length(upper(event_message)) = ${i} or `)} false`,
  'a condition of functions': `select id ${ROWS} where length(${nested(MANY, 'trim(', 'event_message', ')')}) = 1`,
  'branches of case': `select case ${times(MANY, (i) => `when length(event_message) = ${i} then ${i} `)} end ${ROWS}`,
  keys: `select count(*) ${ROWS} group by ${items((i) => `upper(${longer(i)})`)} id`,
  'keys of one column': `select count(*) ${ROWS} group by ${items(() => 'event_message')} id`,
  aggregates: `select ${items((i) => `max(length(${longer(i)}))`)} 1 ${ROWS}`,
  'aggregates of texts': `select ${items((i) => `max(${longer(i)})`, 200)} count(*) ${ROWS}`,
  'an order': `select id ${ROWS} order by ${items((i) => `length(${longer(i)})`)} id limit 1`,
  'JSON in a text': `select ${times(MANY, (i) => `json_value(event_message, '$.k${i}') = 'a' or `)} false ${ROWS}`,
  fields: `select ${times(MANY, (i) => `length(metadata.text) = ${i} or `)} false ${ROWS}`,
  'fields side by side': `select ${items((i) => `metadata.n${i} c${i}`, 100)} 1 ${ROWS}`,
  'JSON of a record': `select ${items((i) => `length(to_json_string(metadata)) c${i}`)} 1 ${ROWS}`,
  'a list': `select ${items((i) => `split(event_message, ',')[safe_offset(${i})] c${i}`, 200)} 1 ${ROWS}`,
  elements: `select ${items((i) => `length(upper(m.text)) c${i}`, 200)} 1 ${ROWS}, unnest(metadata.list) m`,
  'elements of a long list': `select count(*), max(m) ${ROWS}, unnest(metadata.long) m`,
  'a name behind a long list': `select count(*) ${ROWS}, unnest(metadata.long) m left join unnest(level) l on true`,
  'a message behind a long list': `select sum(length(lower(event_message))) ${ROWS}, unnest(metadata.long) m`,
  'metadata behind a long list': `select max(to_json_string(metadata)) ${ROWS}, unnest(metadata.long) m`,
  'a long list twice': `select count(*) ${ROWS}, unnest(metadata.long) m, unnest(metadata.long) n`,
  'elements of a computed list': `select count(*), max(m) ${ROWS}, unnest(split(event_message, 'a')) m`,
  'long elements': `select e.a, e.b.c, e.text ${ROWS}, unnest(metadata.list) e order by timestamp limit 9`,
  'an order of long texts': `select e ${ROWS}, unnest(metadata.long) e order by to_json_string(metadata)`,
  'a text of a derived table':
    `select ${items((i) => `length(${longer(i, 'x')}) c${i}`)} 1 ` + `from (select event_message x ${ROWS} limit 3)`,
  'long texts of short ones':
    `select ${items((i) => `length(${longer(i, 'x')}) c${i}`)} 1 ` + `from (select ${tripled} as x ${ROWS})`,
  constants: `select ${nested(MANY, 'upper(', `concat(${long} '')`, ')')} ${ROWS}`,
  'constants of each row': `select ${times(150, (i) => `length(concat('${i}', ${grown})) + `)} 0 ${ROWS}`,
}

describe('a query that makes long texts of each row', () => {
  let engine: ArrowEngine
  beforeAll(async () => {
    engine = openEngine()
    const message = 'a,'.repeat(MIB / 2 - 500)
    const list = Array.from({ length: 3 }, () => ({ text: 'b'.repeat(MIB / 4) }))
    const long = Array.from({ length: 100_000 }, (_, i) => i % 10)
    const short = Array.from({ length: 500 }, () => ({ text: 'b' }))
    const deep = Array.from({ length: 3 }, () => ({ text: Array.from({ length: 60_000 }, () => [1]) }))
    await appendAll(engine, [
      ...Array.from({ length: 9 }, (_, i) => edge({ id: `elements ${i}`, metadata: { list: short } })),
      ...Array.from({ length: 9 }, (_, i) => edge({ id: `long elements ${i}`, metadata: { list: deep } })),
      ...Array.from({ length: 100 }, (_, i) =>
        edge({ id: `short ${i}`, event_message: 'short', metadata: { text: 'a' } }),
      ),
      edge({ id: 'a', event_message: message, metadata: { text: 'c'.repeat(MIB / 2) } }),
      edge({ id: 'b', event_message: `{"k":"${'\\"'.repeat(MIB / 3)}"}`, metadata: { list } }),
      edge({ id: 'wide', metadata: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, i])) }),
      edge({ id: 'c', event_message: '"'.repeat(MIB - 1_000), metadata: { long } }),
    ])
  })

  for (const [name, text] of Object.entries(TEXTS)) {
    it(`leaves the event loop free: ${name}`, async () => {
      const isGood = (ms: number) => ms <= MOST_MS
      const plan = limited(readSql(text).plan({}, 0), 1_000)
      const gapMs = await inTries(TRIES, async () => (await loopGap(() => outcomeOf(plan))).gapMs, isGood)
      expect(gapMs).toBeLessThanOrEqual(MOST_MS)
    })
  }

  async function outcomeOf(plan: Plan): Promise<void> {
    try {
      await readAll(await engine.run(plan, { signal: AbortSignal.timeout(QUERY_MS) }))
    } catch (error) {
      const { code, name } = error as { code?: string; name: string }
      expect(name === 'TimeoutError' ? 'timeout' : code).toMatch(
        /^(?:timeout|too_much_memory|too_many_groups|invalid_sql)$/,
      )
    }
  }
})
