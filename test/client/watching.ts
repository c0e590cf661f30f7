import type { Log } from '../../src/base/log.js'
import { readWatch, runWatch, type WatchOut } from '../../src/client/watch.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { definitions } from '../../src/http/query/definitions.js'
import { type Answer, reply } from './fake-service.js'

/** Parts of the tests of `logweir watch`. */

/** Answers with the list of the built-in endpoints. */
export const LISTING: Answer = (_, response) => reply(response, definitions(ENDPOINTS))

/** A row of a grouping by path. */
export const row = (path: string | null, requests: number) => ({ path, requests })
type Values = readonly (string | number | null)[]

/** The text of an event. */
export const event = (name: string, id: string | undefined, data: object) =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
/** The text of a snapshot by path, number n. */
export const snapshot = (n: number, result: readonly object[]) =>
  event('snapshot', `p.${n}`, { result, key: ['path'], watermark: `p.${n}` })
/** The text of a change, number n. */
export const change = (n: number, upsert: readonly object[], deleted: readonly Values[] = []) =>
  event('change', `p.${n}`, { upsert, delete: deleted, watermark: `p.${n}` })

/** A call of an endpoint of {@link LISTING}. */
export const CALL = 'logs.all --project a'

/** Where a watch ends: after some writes or some lines of the log, whichever is first. */
interface Until {
  writes?: number
  logged?: number
}

/** Watches until enough was written or logged. Returns the writes and the lines of the log. */
export async function watch(url: string, line: string, until: Until, out: Partial<WatchOut> = {}) {
  const config = readWatch([...line.split(' '), '--url', url], { LOGWEIR_TOKEN: 'open' }, () => {})
  const [written, logged, stop] = [[] as string[], [] as string[], new AbortController()]
  const stopIfDone = () => {
    if (written.length >= (until.writes ?? Number.NaN) || logged.length >= (until.logged ?? Number.NaN)) stop.abort()
  }
  const write = async (text: string | Uint8Array) => {
    if (text !== '') written.push(String(text))
    stopIfDone()
  }
  const log: Log = (message) => {
    logged.push(message)
    stopIfDone()
  }
  await runWatch(config, { write, terminal: undefined, screen: undefined, ...out }, log, stop.signal)
  return { written, logged }
}
