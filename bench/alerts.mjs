/**
 * Measures a hundred alert rules over the last five minutes, each every 30 seconds, while 5,000 full records a second
 * arrive over HTTP: the share of a core that the rules take, which is the CPU time of the service with the rules less
 * that without, and the time from an instant to the receiver.
 *
 *   node bench/alerts.mjs 100 120      rules, and seconds that are measured
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { generate } from '../dist/generate/generate.js'
import { cpuSeconds, median } from './process.mjs'
import { metric, startService, TOKEN } from './service.mjs'

const ruleCount = Number(process.argv[2] ?? 100)
const measuredSeconds = Number(process.argv[3] ?? 120)
const RATE = 5_000
const WINDOW_SECONDS = 300
const EVERY_SECONDS = 30
/** The records of a window are sent at once, within this time. */
const FILLING_SECONDS = 150

/** The keys of the rules' groups. */
const KEYS = [
  'project',
  'project, request.method',
  'project, response.status_code',
  'project, request.cf.continent',
  'request.cf.country',
  'request.method, request.cf.country',
  'request.method, response.status_code',
  'response.status_code, request.cf.country',
  'project, request.method, response.status_code',
  'request.cf.colo',
]
/** The conditions of the rows that the rules count. */
const COUNTS = [
  'response.status_code >= 500',
  'response.status_code = 429',
  'response.status_code >= 400 and response.status_code < 500',
  "request.method = 'POST'",
  "request.cf.country = 'DE'",
  "request.path like '/auth/%'",
  'response.origin_time > 500',
  "request.headers.user_agent like '%curl%'",
  'request.cf.asn > 60000',
  "regexp_contains(event_message, 'rest')",
]

const folder = mkdtempSync(join(tmpdir(), 'logweir-bench-'))
const receiver = await startReceiver()
const without = await measure([])
const withRules = await measure(['--alerts', writeRules(), '--receivers', writeReceivers()])
rmSync(folder, { recursive: true })
console.log(
  JSON.stringify({
    rules: ruleCount,
    share: { without: without.share, withRules: withRules.share, rules: withRules.share - without.share },
    evaluations: withRules.evaluations,
    evaluationMs: withRules.evaluationMs,
    notified: receiver.delaysMs.length,
    instantToReceiverMs: { median: median(receiver.delaysMs), most: Math.max(...receiver.delaysMs) },
  }),
)
process.exit()

function writeRules() {
  const directory = join(folder, 'alerts')
  mkdirSync(directory)
  for (let rule = 0; rule < ruleCount; rule++) {
    const keys = KEYS[rule % KEYS.length]
    const counted = COUNTS[Math.floor(rule / KEYS.length) % COUNTS.length]
    const names = keys.split(', ').map((key) => key.split('.').at(-1))
    const text = `-- alert: every ${EVERY_SECONDS}s, delay 0s, notify bench
select ${keys}, count(*) as requests, countif(${counted}) as counted from edge_logs
where timestamp >= timestamp_sub(current_timestamp(), interval ${WINDOW_SECONDS} second)
group by ${names.join(', ')}
having counted >= 20 and safe_divide(counted, requests) > 0.2`
    writeFileSync(join(directory, `rule-${rule}.sql`), text)
  }
  return directory
}

function writeReceivers() {
  const file = join(folder, 'receivers.toml')
  writeFileSync(file, `[bench]\nkind = "webhook"\nurl = "${receiver.url}"\n`, { mode: 0o600 })
  return file
}

/** Starts a service, fills a window, and measures while records arrive. `share`: of a core. */
async function measure(args) {
  const service = await startService('ignore', [...args, '--data-dir', mkdtempSync(join(folder, 'data-'))])
  const startMs = Date.now() + FILLING_SECONDS * 1000
  const bodies = makeBodies(startMs)
  const send = async () => {
    const headers = { 'X-API-KEY': TOKEN, 'Content-Type': 'application/x-ndjson' }
    const { value: body } = bodies.next()
    const response = await fetch(`${service.url}/api/logs?source=edge_logs`, { method: 'POST', headers, body })
    if (response.status !== 200) throw new Error(await response.text())
  }
  for (let sent = 0; sent < WINDOW_SECONDS; sent++) await send()
  if (Date.now() > startMs) throw new Error(`filling took longer than ${FILLING_SECONDS} s: raise FILLING_SECONDS`)
  await wait(startMs - Date.now())
  receiver.delaysMs.length = 0
  const before = await counts(service)
  for (let second = 1; second <= measuredSeconds; second++) {
    await wait(Math.max(0, startMs + second * 1000 - Date.now()))
    await send()
  }
  const after = await counts(service)
  await service.stop()
  const evaluations = after.evaluations - before.evaluations
  return {
    share: (after.cpuSeconds - before.cpuSeconds) / ((after.atMs - before.atMs) / 1000),
    evaluations,
    evaluationMs: (1000 * (after.seconds - before.seconds)) / evaluations,
  }
}

/** Makes a body for each second: those of a window before `startMs`, and those that are measured. */
function* makeBodies(startMs) {
  for (let second = 1; second <= WINDOW_SECONDS + measuredSeconds; second++) {
    const endUs = (startMs + (second - WINDOW_SECONDS) * 1000) * 1000
    const shape = { source: 'edge_logs', slim: false, projects: 2_000, badEvery: 0 }
    yield Buffer.concat([...generate({ rows: RATE, seed: second, endUs, spanUs: 1e6, ...shape })])
  }
}

async function counts(service) {
  const [evaluations, seconds] = await Promise.all([
    metric(service, 'logweir_alert_evaluations_total'),
    metric(service, 'logweir_alert_evaluation_seconds_sum'),
  ])
  return { evaluations, seconds, cpuSeconds: cpuSeconds(service.pid), atMs: performance.now() }
}

/** Starts a receiver that notes how long after its instant an alert that begins to fire is notified. */
async function startReceiver() {
  const delaysMs = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    response.writeHead(200).end()
    for (const { status, startsAt } of JSON.parse(body).alerts) {
      if (status === 'firing') delaysMs.push(Date.now() - Date.parse(startsAt))
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}/`, delaysMs }
}
