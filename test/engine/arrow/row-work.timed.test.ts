import { beforeAll, describe, expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import type { ArrowEngine } from '../../../src/engine/arrow/engine.js'
import { limited } from '../../../src/plan/limited.js'
import type { Plan } from '../../../src/plan/plan.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { nested, times } from '../../support/costly-sql.js'
import { appendAll, openEngine, readAll } from '../../support/engine.js'
import { loopGap } from '../../support/loop-gap.js'
import { edge } from '../../support/records.js'
import { inTries } from '../../support/tries.js'

/** As O3 has it for /health, of which the network takes a part. */
const MOST_MS = 80
const TRIES = 4
const MANY = 900

/** Texts of which each row costs seconds, by what they do with a message of a megabyte. */
const TEXTS: Readonly<Record<string, string>> = {
  'nested calls': `select length(${nested(MANY, 'upper(', 'event_message', ')')}) from edge_logs`,
  'calls side by side': `select ${times(MANY, (i) => `length(concat(event_message, '${i}'))+`)} 0 from edge_logs`,
  columns: `select ${times(MANY, (i) => `lower(event_message) c${i},`)} 1 from edge_logs`,
  'lengths of columns': `select ${times(MANY, (i) => `length(substr(event_message, ${i + 1})) c${i},`)} 1 from edge_logs`,
  'the same column': `select ${times(MANY, (i) => `event_message c${i},`)} 1 from edge_logs`,
  conditions: `select id from edge_logs where ${times(MANY, (i) => `length(upper(event_message)) = ${i} or `)} false`,
  'a condition of functions': `select id from edge_logs where length(${nested(MANY, 'trim(', 'event_message', ')')}) = 1`,
  'branches of case': `select case ${times(MANY, (i) => `when length(event_message) = ${i} then ${i} `)} end from edge_logs`,
  keys: `select count(*) from edge_logs group by ${times(MANY, (i) => `upper(concat(event_message, '${i}')),`)} 1`.replace(
    /, 1$/,
    '',
  ),
  'keys of one column': `select count(*) from edge_logs group by ${'event_message,'.repeat(MANY)} id`,
  aggregates: `select ${times(MANY, (i) => `max(length(concat(event_message, '${i}'))),`)} 1 from edge_logs`,
  'aggregates of texts': `select ${times(200, (i) => `max(concat(event_message, '${i}')),`)} count(*) from edge_logs`,
  'an order': `select id from edge_logs order by ${times(MANY, (i) => `length(concat(event_message, '${i}')),`)} id limit 1`,
  'JSON in a text': `select ${times(MANY, (i) => `json_value(event_message, '$.k${i}') = 'a' or `)} false from edge_logs`,
  fields: `select ${times(MANY, (i) => `length(metadata.text) = ${i} or `)} false from edge_logs`,
  'JSON of a record': `select ${times(MANY, (i) => `length(to_json_string(metadata)) c${i},`)} 1 from edge_logs`,
  'a list': `select ${times(200, (i) => `split(event_message, ',')[safe_offset(${i})] c${i},`)} 1 from edge_logs`,
  elements: `select ${times(200, (i) => `length(upper(m.text)) c${i},`)} 1 from edge_logs, unnest(metadata.list) m`,
  'elements of a long list': 'select count(*), max(m) from edge_logs, unnest(metadata.long) m',
  'a name behind a long list':
    'select count(*) from edge_logs, unnest(metadata.long) m left join unnest(level) l on true',
  'a message behind a long list': `select sum(length(lower(event_message))) from edge_logs, unnest(metadata.long) m`,
  'metadata behind a long list': `select max(to_json_string(metadata)) from edge_logs, unnest(metadata.long) m`,
  'a long list twice': 'select count(*) from edge_logs, unnest(metadata.long) m, unnest(metadata.long) n',
  'elements of a computed list': "select count(*), max(m) from edge_logs, unnest(split(event_message, 'a')) m",
  'a text of a derived table': `select ${times(MANY, (i) => `length(concat(x, '${i}')) c${i},`)} 1 from (select event_message x from edge_logs limit 3)`,
  'long texts of short ones': `select ${times(MANY, (i) => `length(concat(x, '${i}')) c${i},`)} 1 from (select ${nested(12, 'replace(', 'id', ", 'a', 'aaa')")} as x from edge_logs)`,
  constants: `select ${nested(MANY, 'upper(', `concat(${times(19, () => `'${'x'.repeat(2_900)}',`)} '')`, ')')} from edge_logs`,
  'constants of each row':
    `select ${times(300, (i) => `length(concat('${'x'.repeat(150)}', ${i}, ${nested(5, 'replace(', "'aaaaaaaaaaaa'", ", 'a', 'aaaaaaaaaa')")})) + `)} 0 from edge_logs`
      .slice(0, 60_000)
      .replace(/\+[^+]*$/, '+ 0 from edge_logs'),
}

describe('a query that makes long texts of each row', () => {
  let engine: ArrowEngine
  beforeAll(async () => {
    engine = openEngine()
    const message = 'a,'.repeat(MIB / 2 - 500)
    const list = Array.from({ length: 3 }, () => ({ text: 'b'.repeat(MIB / 4) }))
    const long = Array.from({ length: 100_000 }, (_, i) => i % 10)
    await appendAll(engine, [
      ...Array.from({ length: 100 }, (_, i) =>
        edge({ id: `short ${i}`, event_message: 'short', metadata: { text: 'a' } }),
      ),
      edge({ id: 'a', event_message: message, metadata: { text: 'c'.repeat(MIB / 2) } }),
      edge({ id: 'b', event_message: `{"k":"${'\\"'.repeat(MIB / 3)}"}`, metadata: { list } }),
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
      await readAll(await engine.run(plan, { signal: AbortSignal.timeout(5_000) }))
    } catch (error) {
      const { code, name } = error as { code?: string; name: string }
      expect(name === 'TimeoutError' ? 'timeout' : code).toMatch(
        /^(?:timeout|too_much_memory|too_many_groups|invalid_sql)$/,
      )
    }
  }
})
