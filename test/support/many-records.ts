import type { SourceName } from '../../src/common/sources.js'
import { below, oneOf, type Random } from './random.js'
import type { TestRecord } from './records.js'

/** The time of the last of many records. */
export const LAST_US = Date.UTC(2026, 10, 25, 3) * 1000
/** Records are so far apart, or in some runs up to this much later. */
export const STEP_US = 6_000_000

const PROJECTS = ['a', 'a', 'a', 'b', 'b', 'c', 'é😀', '', null]
const HOSTS = ['https://a.supabase.co', 'https://b.supabase.co', 'http://é.example', '']
const PLACES = ['/rest/v1/table', '/auth/v1/token', '/storage/v1/object', '/realtime/v1', '/', '']
export const MESSAGES = ['', 'GET | 200', 'error: 12', '17', 'Ünïcode 😀', '\u0000']

const word = (random: Random) => random().toString(36).slice(2)

/** The URL of many records. */
export const FREQUENT_URL = 'https://a.supabase.co/rest/v1/table'

/** Distinct URLs of a dictionary that is long enough for filters of blocks. Some URLs share their first bytes. */
function manyUrls(random: Random): string[] {
  const end = random() < 0.5 ? ['\n', ''] : ['', '', '#x']
  return Array.from({ length: 900 }, () => {
    const place = oneOf(random, HOSTS) + oneOf(random, PLACES)
    return `${place}/${below(random, 50)}?${`${word(random)}-`.repeat(1 + below(random, 40))}${oneOf(random, end)}`
  }).sort()
}

/** Small integers, which are counted, and every other kind of value. */
function statusOf(random: Random, hasTexts: boolean) {
  if (random() < 0.9) return 200 + below(random, 400)
  return oneOf(random, [null, hasTexts ? '500' : null, 2.5, -1, 8191, 8192, 8192, 65_535, 70_000])
}
const durationOf = (random: Random) => (random() < 0.7 ? below(random, 3_000) : oneOf(random, [null, 0.5, 1e6, 12_345]))

/** Some functions are called all the time, others for some minutes. */
const functionOf = (random: Random, i: number) => oneOf(random, ['f', 'g', 'F', '', `f${Math.floor(i / 100)}`])

/**
 * Records of more rows, distinct texts and numbers than the blocks, zones and tables of the engine hold: a record each
 * 6 seconds or so, no two records at the same time.
 */
export function manyRecords(random: Random, length: number): TestRecord[] {
  const urls = manyUrls(random)
  const isMixed = random() < 0.3
  const isExact = random() < 0.8
  const hasTexts = random() < 0.5
  return Array.from({ length }, (_, i): TestRecord => {
    const source: SourceName = random() < 0.5 ? 'edge_logs' : 'function_edge_logs'
    const metadata = {
      ...(random() < 0.9 && {
        request: { url: random() < 0.1 ? FREQUENT_URL : oneOf(random, urls), path: oneOf(random, PLACES) },
      }),
      response: { status_code: statusOf(random, hasTexts) },
      ...(random() < 0.9 && { function_id: functionOf(random, i) }),
      execution_time_ms: durationOf(random),
      list: [{ n: i }, i, word(random)].slice(0, below(random, 4)),
    }
    const step = isMixed ? (i * 7919) % length : i
    return {
      source,
      id: `${i}`,
      timestampUs: LAST_US - (length - step) * STEP_US + (isExact ? 0 : below(random, STEP_US)),
      project: oneOf(random, PROJECTS),
      event_message: oneOf(random, MESSAGES),
      metadata: JSON.stringify(metadata),
    }
  })
}
