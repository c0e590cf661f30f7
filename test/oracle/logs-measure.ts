import type { TestRecord } from '../support/records.js'
import { bucketWidth } from './bucket-width.js'
import { exactMean } from './exact-mean.js'
import { askedOf, fieldOf, matching } from './explore.js'
import type { Oracle, Params } from './oracle.js'
import { groupBy } from './time.js'

const SPELLED = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

/** Fields with a column of numbers, in which a text is none. */
const NUMBERS: Record<string, readonly string[]> = {
  edge_logs: ['response.status_code'],
  function_edge_logs: ['execution_time_ms', 'response.status_code'],
}

function numberIn(record: TestRecord, field: string): number | undefined {
  const keys = field.startsWith('["') ? JSON.parse(field) : field
  const value = fieldOf(record, keys)
  const isSpelled = typeof value === 'string' && SPELLED.test(value) && !NUMBERS[record.source]?.includes(field)
  const number = isSpelled ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** The numbers of each bucket of a request, ascending, by the start of the bucket. */
export function measuredNumbers(
  records: readonly TestRecord[],
  params: Params,
  nowUs: number,
): ReadonlyMap<number, readonly number[]> {
  const asked = askedOf(params, nowUs)
  const widthUs = bucketWidth(asked, nowUs)
  const having = matching(records, asked).filter((record) => numberIn(record, params.field!) !== undefined)
  const buckets = groupBy(having, ({ timestampUs }) => Math.floor(timestampUs / widthUs) * widthUs)
  return new Map(
    [...buckets].map(([startUs, bucket]) => [
      startUs,
      bucket.map((record) => numberIn(record, params.field!)!).sort((a, b) => a - b),
    ]),
  )
}

/** The numbers of a field by bucket, percentiles exact. */
export const logsMeasure: Oracle = (records, params, nowUs) =>
  [...measuredNumbers(records, params, nowUs)]
    .sort(([a], [b]) => a - b)
    .map(([timestamp, numbers]) => {
      const atRank = (percent: number) => numbers[Math.ceil((percent * numbers.length) / 100) - 1]!
      return {
        timestamp,
        bucket_us: bucketWidth(askedOf(params, nowUs), nowUs),
        count: numbers.length,
        min: numbers[0]!,
        max: numbers.at(-1)!,
        avg: exactMean(numbers),
        p50: atRank(50),
        p95: atRank(95),
        p99: atRank(99),
      }
    })
