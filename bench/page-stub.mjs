/** A stub of logweir: serves the built page and answers its queries with a given number of buckets. */
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const PAGE = new URL('../dist/page/', import.meta.url)
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }
/** The endpoints of the page's panels, and the seconds per bucket in the shortest interval. */
const PANELS = {
  counts: { endpoint: 'usage.api-counts', bucketS: 60, rowAt: countsAt },
  invocations: { endpoint: 'functions.invocation-stats', bucketS: 1, rowAt: statsAt },
}

/** Starts the stub. The endpoint of `panel` has rows; the others return none. `bytes`: the length of its answer. */
export async function startStub(panel, buckets) {
  const body = Buffer.from(JSON.stringify({ result: rowsOf(PANELS[panel], buckets) }))
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, 'http://stub')
    if (pathname.endsWith(`/query/${PANELS[panel].endpoint}`)) send(response, 'application/json', body)
    else if (pathname === '/api/session') send(response, 'application/json', '{"scopes":["query"],"projects":null}')
    else if (pathname.startsWith('/api/')) send(response, 'application/json', '{"result":[]}')
    else sendFile(response, pathname === '/' ? 'index.html' : pathname.replace('/page/', ''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, bytes: body.length, close }
}

/** Returns rows for nine of ten buckets: the endpoints omit empty buckets. */
function rowsOf({ bucketS, rowAt }, buckets) {
  const last = Math.floor(Date.now() / 1_000 / bucketS)
  const all = Array.from({ length: buckets }, (_, i) => (last - buckets + 1 + i) * bucketS)
  return all.filter((_, i) => i % 10 !== 7).map(rowAt)
}

function countsAt(seconds, i) {
  return {
    timestamp: new Date(seconds * 1_000).toISOString().slice(0, 19),
    total_rest_requests: (i * 7919) % 1_000,
    total_storage_requests: (i * 104729) % 300,
    total_auth_requests: (i * 1299709) % 100,
    total_realtime_requests: (i * 15485863) % 50,
  }
}

function statsAt(seconds, i) {
  const least = ((i * 7919) % 1_000) / 8
  return {
    timestamp: seconds * 1e6,
    min_execution_time: least,
    max_execution_time: 9 * least + 7.25,
    avg_execution_time: 2 * least + 0.123456789,
    p95_execution_time: 5 * least + 3.5,
    p99_execution_time: 8 * least + 6.125,
    count: (i * 104729) % 300,
    error_count: (i * 1299709) % 20,
  }
}

function send(response, type, body) {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body)
}

function sendFile(response, name) {
  if (!existsSync(new URL(name, PAGE))) return response.writeHead(404).end()
  send(response, TYPES[name.split('.').at(-1)], readFileSync(new URL(name, PAGE)))
}
