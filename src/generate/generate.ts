import { findSource, SOURCE_NAMES, type SourceName } from '../sources.js'
import { BAD_LINES } from './bad-lines.js'
import { authLog } from './records/auth-logs.js'
import { edgeLog } from './records/edge-logs.js'
import { functionEdgeLog } from './records/function-edge-logs.js'
import { functionLog } from './records/function-logs.js'
import { pgbouncerLog } from './records/pgbouncer-logs.js'
import { postgresLog } from './records/postgres-logs.js'
import { postgrestLog } from './records/postgrest-logs.js'
import { realtimeLog } from './records/realtime-logs.js'
import { storageLog } from './records/storage-logs.js'
import type { Moment, RecordWriter } from './values/record-context.js'
import { Out } from './values/template-writer.js'
import { createProjects } from './values/projects.js'
import { createRandom, oneIn, pick, type Random, spread } from './values/random.js'
import { uuid } from './values/text.js'
import { createTimeText, type TimeText } from './values/times.js'

const WRITERS: Record<SourceName, RecordWriter> = {
  edge_logs: edgeLog,
  postgres_logs: postgresLog,
  function_edge_logs: functionEdgeLog,
  function_logs: functionLog,
  auth_logs: authLog,
  realtime_logs: realtimeLog,
  storage_logs: storageLog,
  postgrest_logs: postgrestLog,
  pgbouncer_logs: pgbouncerLog,
}

/** How often each source comes where all are asked for. */
const MIX = spread<SourceName>([
  ['edge_logs', 45],
  ['function_edge_logs', 15],
  ['postgres_logs', 10],
  ['function_logs', 8],
  ['auth_logs', 8],
  ['storage_logs', 5],
  ['realtime_logs', 4],
  ['postgrest_logs', 2],
  ['pgbouncer_logs', 3],
])

/** One record in so many bears the source's alias, a number as timestamp, or BigQuery-style repeated records. */
const ALIAS_ONE_IN = 4
const EPOCH_ONE_IN = 10
const REPEATED_ONE_IN = 50

export interface GenerateOptions {
  /** Records; bad lines come on top. */
  rows: number
  seed: number
  source: SourceName | 'all'
  /** The records lie in [endUs - spanUs, endUs), oldest first, microseconds since the epoch. */
  endUs: number
  spanUs: number
  slim: boolean
  projects: number
  /** A line that no ingest takes follows every so many records; 0: none. */
  badEvery: number
}

/**
 * Writes log records of a hosted-database platform as NDJSON, in chunks of whole lines of about 256 KiB.
 * Equal options give equal bytes.
 */
export function* generate(options: GenerateOptions): Generator<Buffer> {
  const out = new Out(createRandom(options.seed))
  const writeRecord = recordWriter(out, options)
  for (let row = 1; row <= options.rows; row++) {
    writeRecord(row - 1)
    if (options.badEvery > 0 && row % options.badEvery === 0) writeBadLine(out, row / options.badEvery - 1)
    const chunk = out.takeFull()
    if (chunk !== undefined) yield chunk
  }
  yield out.take()
}

function writeBadLine(out: Out, index: number): void {
  out.put`${BAD_LINES[index % BAD_LINES.length]![1]}\n`
}

function recordWriter(out: Out, options: GenerateOptions): (row: number) => void {
  const { random } = out
  const drawProject = createProjects(options.seed, options.projects)
  const sources = options.source === 'all' ? MIX : [options.source]
  const time = createTimeText()
  const startUs = options.endUs - options.spanUs
  const stepUs = options.spanUs / options.rows
  return (row) => {
    const source = pick(random, sources)
    const timestampUs = startUs + Math.floor((row + random.unit()) * stepUs)
    const repeated = oneIn(random, REPEATED_ONE_IN)
    const [open, close] = repeated ? ['[{', '}]'] : ['{', '}']
    const moment: Moment = { project: drawProject(random), timestampUs, time, slim: options.slim, open, close }
    out.put`{"source":"${spell(source, random)}","id":"${uuid}","timestamp":${stamp(timestampUs, time, random)},`
    WRITERS[source](out, moment)
    out.put`}\n`
  }
}

const ALIASES = new Map(SOURCE_NAMES.map((name) => [name, findSource(name)!.alias]))

function spell(source: SourceName, random: Random): string {
  return oneIn(random, ALIAS_ONE_IN) ? ALIASES.get(source)! : source
}

function stamp(timestampUs: number, time: TimeText, random: Random): string {
  return oneIn(random, EPOCH_ONE_IN) ? String(timestampUs) : `"${time.iso(timestampUs)}"`
}
