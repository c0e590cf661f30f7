/**
 * Compares the ingest of lines with unknown top-level fields to the same bytes sent inside the metadata. A single
 * process: full edge records with ten more fields, from a file on the standard input of `logweir serve --in-memory`.
 *
 *   node bench/other-fields.mjs 300000 inside | outside | flat
 *
 * `inside`: the ten fields are part of the metadata. `outside`: the ten fields are top-level fields. `flat`: the fields
 * of the metadata are top-level fields too, and there is no metadata.
 */
import { closeSync, existsSync, openSync, renameSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOnce, records, write } from './data.mjs'
import { startService } from './service.mjs'

const rows = Number(process.argv[2] ?? 300_000)
const form = process.argv[3] ?? 'outside'
const path = await fileOf(rows, form)
await readOnce(path)
const stdin = openSync(path, 'r')
const service = await startService(stdin)
const { match, atMs } = await service.waitForOutput(/standard input ended: (\d+) rows accepted, (\d+) rejected/)
closeSync(stdin)
const seconds = (atMs - service.startedMs) / 1000
await service.stop()
const bytes = statSync(path).size
console.log(JSON.stringify({ form, rows: Number(match[1]), bytes, seconds, mbPerSecond: bytes / 1e6 / seconds }))

async function fileOf(count, how) {
  const path = join(tmpdir(), `logweir-bench-${new Date().toISOString().slice(0, 10)}-${how}-${count}.ndjson`)
  if (existsSync(path)) return path
  await write(`${path}.part`, [linesOf(count, how)])
  renameSync(`${path}.part`, path)
  return path
}

function* linesOf(count, how) {
  let rest = ''
  for (const chunk of records('edge_logs', count, false)) {
    const lines = (rest + Buffer.from(chunk).toString()).split('\n')
    rest = lines.pop()
    yield Buffer.from(lines.map((line, i) => `${JSON.stringify(reshaped(JSON.parse(line), i, how))}\n`).join(''))
  }
}

function reshaped({ metadata, ...record }, i, how) {
  const fields = Array.isArray(metadata) ? metadata[0] : metadata
  if (how === 'inside') return { ...record, metadata: { ...fields, ...extraFields(i) } }
  return how === 'flat'
    ? { ...record, ...fields, ...extraFields(i) }
    : { ...record, ...extraFields(i), metadata: fields }
}

/** Returns ten fields that loggers write. */
function extraFields(i) {
  return {
    level: i % 7 === 0 ? 'error' : 'info',
    pid: 4711,
    hostname: 'ip-10-0-0-17.eu-central-1.compute.internal',
    orderId: 1_000_000 + i,
    traceId: `4bf92f3577b34da6a3ce929d${String(i).padStart(8, '0')}`,
    appname: 'supabase-auth',
    severity: i % 9,
    tags: ['a', 'b'],
    user: { id: i, name: 'someone' },
    stack: null,
  }
}
