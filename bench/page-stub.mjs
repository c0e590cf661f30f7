/** A stub of logweir: serves the built page and answers the page's queries with a given number of buckets. */
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const PAGE = new URL('../dist/page/', import.meta.url)
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }
/** User endpoints, which may have any number of buckets: the kind of their columns, and their rows. */
const PANELS = {
  bars: { columns: { requests: 'count' }, bucketS: 60, rowAt: barAt },
  lines: { columns: { average: 'double', p95: 'double', p99: 'double' }, bucketS: 1, rowAt: linesAt },
}

/** Starts the stub, which has the endpoint `own.<panel>`. `bytes`: the length of the answer. */
export async function startStub(panel, buckets) {
  const body = Buffer.from(JSON.stringify({ result: rowsOf(PANELS[panel], buckets) }))
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, 'http://stub')
    if (pathname.endsWith(`/query/own.${panel}`)) send(response, 'application/json', body)
    else if (pathname === '/api/openapi.json') send(response, 'application/json', JSON.stringify(openApiOf(panel)))
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

function barAt(seconds, i) {
  return { timestamp: seconds * 1e6, requests: (i * 7919) % 1_000 }
}

function linesAt(seconds, i) {
  const least = ((i * 7919) % 1_000) / 8
  return {
    timestamp: seconds * 1e6,
    average: 2 * least + 0.123456789,
    p95: 5 * least + 3.5,
    p99: 8 * least + 6.125,
  }
}

/** The parts of the description that the page reads. */
function openApiOf(panel) {
  const kinds = { timestamp: 'microseconds', ...PANELS[panel].columns }
  const properties = Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, { 'x-kind': kind }]))
  const schema = { properties: { result: { items: { properties } } } }
  const get = {
    parameters: [{ name: 'project', in: 'query', required: true }],
    responses: { 200: { content: { 'application/json': { schema } } } },
  }
  return { paths: { [`/api/endpoints/query/own.${panel}`]: { get } } }
}

function send(response, type, body) {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body)
}

function sendFile(response, name) {
  if (!existsSync(new URL(name, PAGE))) return response.writeHead(404).end()
  send(response, TYPES[name.split('.').at(-1)], readFileSync(new URL(name, PAGE)))
}
