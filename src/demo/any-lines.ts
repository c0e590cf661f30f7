import { logNormal, oneIn, pick, type Random, repeatByWeight } from '../generate/values/random.js'

/** The sources of one's own that `logweir demo --any` shows. */
export const ANY_SOURCES = ['nginx', 'app'] as const

/** The name of a source of {@link ANY_SOURCES}. */
export type AnySource = (typeof ANY_SOURCES)[number]

/** A path with the statuses of its responses, and how many of its requests fail: one in `failing`. */
interface Route {
  method: string
  path: string
  status: number
  failure: number
  failing: number
}

const route = (method: string, path: string, status: number, failure: number, failing: number): Route => ({
  ...{ method, path, status, failure, failing },
})

const ROUTES = repeatByWeight([
  [route('GET', '/', 200, 499, 400), 20],
  [route('GET', '/products', 200, 500, 200), 15],
  [route('GET', '/static/app.js', 304, 404, 300), 15],
  [route('POST', '/api/login', 200, 401, 6), 6],
  [route('POST', '/api/cart', 201, 422, 40), 8],
  [route('POST', '/api/checkout', 201, 502, 4), 4],
  [route('GET', '/api/export', 200, 504, 3), 1],
  [route('GET', '/wp-login.php', 404, 404, 1), 1],
])
const AGENTS = ['Mozilla/5.0 (X11; Linux x86_64) Firefox/133.0', 'Mozilla/5.0 (iPhone) Safari/604.1', 'curl/8.11.0']
/** pino's numbers of levels, with a message each. */
const EVENTS = repeatByWeight<readonly [level: number, msg: string]>([
  [[30, 'order placed'], 20],
  [[30, 'mail sent'], 10],
  [[40, 'retrying payment'], 3],
  [[50, 'payment failed'], 1],
])

/** Returns a record as nginx writes it in the format of docs/any-logs.md. */
function nginxRecord(random: Random, timeMs: number): object {
  const { method, path, status, failure, failing } = pick(random, ROUTES)
  const message = `${method} ${path} HTTP/1.1`
  const outcome = oneIn(random, failing) ? failure : status
  return { timestamp: timeMs / 1000, message, status: outcome, method, path, agent: pick(random, AGENTS) }
}

/** Returns a record as pino writes it. */
function appRecord(random: Random, timeMs: number): object {
  const [level, msg] = pick(random, EVENTS)
  const responseTime = Math.round(logNormal(random, 40, 0.8))
  return { level, time: timeMs, pid: 7, hostname: 'shop', order: random.below(100_000), responseTime, msg }
}

/** Returns a line of a source, with its line feed. `timeMs`: since the epoch. */
export const anyLine = (source: AnySource, random: Random, timeMs: number): string =>
  `${JSON.stringify(source === 'nginx' ? nginxRecord(random, timeMs) : appRecord(random, timeMs))}\n`
