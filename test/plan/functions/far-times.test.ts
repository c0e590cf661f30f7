import { describe, expect, it } from 'vitest'
import type { FunctionName } from '../../../src/plan/functions/table.js'
import { FUNCTIONS } from '../../../src/plan/functions/table.js'
import { Membership } from '../../../src/plan/values/membership.js'
import {
  compareAll,
  compareValues,
  Datetime,
  momentUs,
  type Scalar,
  Timestamp,
} from '../../../src/plan/values/values.js'
import * as oracle from '../../oracle/plan/times.js'
import { anyMoment, FIRST_US, LAST_US, momentOf, spelled } from '../../support/far-times.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const RUNS = runs(20_000)

/** The value of a call over literals. Undefined if the call fails. */
function result(fn: FunctionName, ...args: readonly Scalar[]): Scalar | undefined {
  try {
    return FUNCTIONS[fn].bind(
      args.map((value) => () => value),
      args,
    )(0)
  } catch {
    return undefined
  }
}

const inRange = (us: bigint) => us >= FIRST_US && us <= LAST_US
const ts = (us: bigint) => new Timestamp(momentOf(us))
const tsOrFailure = (us: bigint) => (inRange(us) ? ts(us) : undefined)
const sign = (number: number | bigint) => (number < 0 ? -1 : number > 0 ? 1 : 0)
const floorTo = (us: bigint, width: bigint) => us - (((us % width) + width) % width)

/** A check: the call, the actual value, and the expected value. */
type Check = readonly [call: string, actual: unknown, expected: unknown]

function checksOf(random: Random): Check[] {
  const [a, b] = [anyMoment(random), anyMoment(random)]
  const near = random() < 0.5 ? b : a + BigInt(below(random, 5) - 2)
  const other = inRange(near) ? near : a
  const [time, otherTime] = [ts(a), ts(other)]
  const unit = oneOf(random, oracle.UNITS)
  const part = oneOf(random, oracle.TIME_PARTS)
  const count = momentOf(BigInt(below(random, 7) - 3) * 10n ** BigInt(below(random, 17)))
  const width = oneOf(random, [1, 7, 1000, 5_000_001, 86_400_000_000, 2 ** 53 - 1])
  const text = spelled(a)
  const moved = oracle.add(a, count, unit)
  const member = new Membership([otherTime, null])
  return [
    ['momentUs of a text', momentUs(`${text}Z`), momentOf(a)],
    ['compareAll', sign(compareAll(time, otherTime)), sign(a - other)],
    ['compareValues', sign(compareValues(time, `${spelled(other)}Z`)!), sign(a - other)],
    ['datetime = timestamp', result('eq', new Datetime(momentOf(a)), otherTime), a === other],
    ['lt', result('lt', time, otherTime), a < other],
    ['in', member.has(time), a === other ? true : null],
    ['in of a text', member.has(`${text}Z`), a === other ? true : null],
    ['greatest', result('greatest', time, otherTime), ts(a > other ? a : other)],
    [`timestamp_trunc ${unit}`, result('timestamp_trunc', time, unit), tsOrFailure(BigInt(oracle.truncate(a, unit)))],
    [`timestamp_bucket ${width}`, result('timestamp_bucket', time, width), tsOrFailure(floorTo(a, BigInt(width)))],
    [
      `time_add ${count} ${unit}`,
      result('time_add', time, count, unit),
      moved === undefined ? undefined : new Timestamp(moved),
    ],
    [`timestamp_diff ${unit}`, result('timestamp_diff', time, otherTime, unit), oracle.elapsed(a, other, unit)],
    [`date_diff ${unit}`, result('date_diff', time, otherTime, unit), oracle.boundaries(a, other, unit)],
    [`extract ${part}`, result('extract', time, part), oracle.partOf(a, part)],
    ['unix_micros', result('unix_micros', time), momentOf(a)],
    ['unix_millis', result('unix_millis', time), Number(floorTo(a, 1000n) / 1000n)],
    ['unix_seconds', result('unix_seconds', time), Number(floorTo(a, 1_000_000n) / 1_000_000n)],
    ['timestamp_micros', result('timestamp_micros', momentOf(a)), time],
    ['timestamp_micros of a text', result('timestamp_micros', String(a)), time],
    ['timestamp_millis', result('timestamp_millis', Number(a / 1000n)), ts((a / 1000n) * 1000n)],
    ['timestamp_seconds', result('timestamp_seconds', Number(a / 1_000_000n)), ts((a / 1_000_000n) * 1_000_000n)],
    ['format', result('format_timestamp', '%E4Y-%m-%d %H:%M:%E6S', time), text],
    ['parse', result('parse_timestamp', '%F %H:%M:%E6S', text), time],
    ['cast to text and back', result('cast_timestamp', result('cast_string', time)!), time],
    ['cast to a text', String(result('cast_string', time)).replace(/\+00$/, ''), oracle.castText(a)],
    ['cast to a datetime', result('cast_datetime', time), new Datetime(momentOf(a))],
    ['to_json_string', result('to_json_string', time), `"${oracle.castText(a).replace(' ', 'T')}Z"`],
  ]
}

describe('functions over times of the years 1 to 9999', () => {
  it('are exact to the microsecond', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let run = 0; run < RUNS; run++) {
      for (const [call, actual, expected] of checksOf(random))
        expect(actual, `seed ${seed}, run ${run}: ${call}`).toStrictEqual(expected)
    }
  })
})
