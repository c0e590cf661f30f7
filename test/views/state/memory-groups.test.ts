import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import { readKeys } from '../../../src/engine/execute/columns/key-bytes.js'
import { createGroups } from '../../../src/engine/execute/grouping/groups.js'
import type { GroupSink } from '../../../src/engine/execute/grouping/sink.js'
import { groupsOf } from '../../../src/engine/execute/operators/group.js'
import { kindsOf } from '../../../src/engine/execute/stages/source-kinds.js'
import { count, max, min, quantile } from '../../../src/plan/builder.js'
import { call, column, type Expression, literal } from '../../../src/plan/expression.js'
import { type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import { keyBytesOf, restKeysOf } from '../../../src/views/state/group.js'
import { streamsByDay } from '../../../src/views/state/memory-groups.js'
import { mergingOf } from '../../../src/views/state/merged-states.js'
import { frameOf, lazyBatch, noYield, openBatch, runContext, sealedSegments } from '../../engine/store/support.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { invocation, numberAt, type TestRecord, textAt } from '../../support/records.js'
import { testSeed } from '../../support/seed.js'
import { DAY, grouped, groupsIn } from './rows.js'

const SINK: GroupSink = {
  op: 'group',
  keys: [
    { name: 'project', value: column('project') },
    { name: 'hour', value: call('timestamp_trunc', column('timestamp'), literal('hour')) },
    { name: 'function', value: column('function_id') },
    { name: 'status', value: column('status_code') },
  ],
  aggregates: Object.entries({
    n: count(),
    least: min('execution_time_ms'),
    most: max('execution_time_ms'),
    last: max('timestamp'),
    median: quantile('execution_time_ms', 50),
  }).map(([name, value]) => ({ name, value })),
}
const isStored = (expression: Expression) =>
  expression.kind === 'column' && kindsOf('function_edge_logs').kindOf(expression.name) === 'number'

/** Records of three days, also before 1970. */
const recordsOf = (random: Random, rows: number): TestRecord[] =>
  Array.from({ length: rows }, (_, i) =>
    invocation({
      id: `${i}`,
      timestampUs: oneOf(random, [-1, DAY, DAY + 1]) * DAY_US + below(random, 3) * (8 * HOUR_US - 1),
      project: oneOf(random, ['a', 'b', '__proto__', null]),
      metadata: {
        function_id: oneOf(random, ['f', '__proto__', '…', null]),
        execution_time_ms: oneOf(random, [1, 2.5, 70_000, null]),
        response: { status_code: oneOf(random, [200, 500, null]) },
      },
    }),
  )

/** The groups of a day, by a look at each record. */
function expectedOf(records: readonly TestRecord[], day: number): Map<string, Scalar[]> {
  const groups = new Map<string, TestRecord[]>()
  for (const record of records) {
    if (Math.floor(record.timestampUs / DAY_US) !== day) continue
    const hourUs = Math.floor(record.timestampUs / HOUR_US) * HOUR_US
    const { metadata } = record
    const [id, status] = [textAt(metadata, ['function_id']), numberAt(metadata, ['response', 'status_code'])]
    const key = JSON.stringify([record.project, hourUs, id ?? null, status ?? null])
    groups.set(key, [...(groups.get(key) ?? []), record])
  }
  return new Map(
    [...groups].map(([key, found]) => {
      const times = found.flatMap(({ metadata }) => numberAt(metadata, ['execution_time_ms']) ?? [])
      const sorted = times.sort((a, b) => a - b)
      const last = new Timestamp(Math.max(...found.map(({ timestampUs }) => timestampUs)))
      const median = sorted[Math.max(0, Math.ceil(sorted.length / 2) - 1)] ?? null
      return [key, [found.length, sorted[0] ?? null, sorted.at(-1) ?? null, last, median]]
    }),
  )
}

describe('groups of stored rows', () => {
  it('are streams in order by the days of their buckets', async () => {
    const seed = testSeed()
    console.log(`groups of stored rows: seed ${seed}`)
    const random = mulberry32(seed)
    for (const isSealed of [false, true]) {
      const records = recordsOf(random, 500)
      const batches = isSealed ? await sealedSegments(records) : [openBatch(records)]
      const input = batches.map((batch) => lazyBatch(frameOf(batch, 'function_edge_logs')))
      const { groups, aggregation } = await groupsOf(input, SINK, isStored, runContext().context)
      const merging = mergingOf(aggregation, noYield)
      const streams = await streamsByDay(groups, restKeysOf([true, false]), merging)
      expect([...streams.keys()].sort((a, b) => a - b)).toEqual([-1, DAY, DAY + 1])
      for (const [day, stream] of streams) {
        const found = new Map<string, Scalar[]>()
        for (const group of await groupsIn(stream)) {
          const [project, hour, id, status] = readKeys(keyBytesOf(group), 4)
          const states = merging.codec.read(group.states)
          const key = JSON.stringify([project, (hour as Timestamp).us, id, status])
          found.set(
            key,
            aggregation.outputs.map(({ fold, finish }) => finish(states[fold])),
          )
          expect(group.isRest).toBe(id === '…' && status === null)
        }
        expect(found).toEqual(expectedOf(records, day))
      }
    }
  })

  it('are none of no rows', async () => {
    const { merging } = await grouped([])
    expect(await streamsByDay(createGroups(), restKeysOf([true]), merging)).toEqual(new Map())
  })
})
