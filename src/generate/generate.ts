import { type BuiltInSource, SOURCES } from '../common/sources.js'
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
import { createProjects } from './values/projects.js'
import { createRandom, oneIn, pick, type Random, repeatByWeight } from './values/random.js'
import type { RecordContext, RecordWriter } from './values/record-context.js'
import { TemplateWriter } from './values/template-writer.js'
import { uuid } from './values/text.js'
import { createTimeFormatter, type TimeFormatter } from './values/times.js'

const WRITERS: Record<BuiltInSource, RecordWriter> = {
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

/** Each source as often as its share of the records, in percent. Used if the option `source` is `all`. */
const SOURCES_BY_SHARE = repeatByWeight<BuiltInSource>([
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

/** One record in N has the source's alias, a number as timestamp, or BigQuery-style repeated records. */
const ONE_ALIAS_IN = 4
const ONE_EPOCH_IN = 10
const ONE_REPEATED_IN = 50

/** Number, time range, sources and form of the generated records. */
export interface GenerateOptions {
  /** Number of records, without bad lines. */
  rows: number
  seed: number
  source: BuiltInSource | 'all'
  /** Timestamps are in [endUs - spanUs, endUs), ascending, in microseconds since 1970. */
  endUs: number
  spanUs: number
  /** Writes little more than the fields that the stored queries read. */
  slim: boolean
  /** Whether requests of full records have headers that others lack. By default not. */
  optionalHeaders?: boolean
  /** Number of projects, at least 1. */
  projects: number
  /** A bad line, which the ingest rejects, follows every `badEvery` records. 0 for none. */
  badEvery: number
}

/**
 * Generates log records of a hosted-database platform as NDJSON, in chunks of whole lines of about 256 KiB. Equal
 * options generate equal bytes.
 */
export function* generate(options: GenerateOptions): Generator<Buffer> {
  const out = new TemplateWriter(createRandom(options.seed))
  const writeRecord = recordWriter(out, options)
  for (let row = 1; row <= options.rows; row++) {
    writeRecord(row - 1)
    if (options.badEvery > 0 && row % options.badEvery === 0) writeBadLine(out, row / options.badEvery - 1)
    const chunk = out.takeIfFull()
    if (chunk !== undefined) yield chunk
  }
  yield out.take()
}

function writeBadLine(out: TemplateWriter, index: number): void {
  out.put`${BAD_LINES[index % BAD_LINES.length][1]}\n`
}

function recordWriter(out: TemplateWriter, options: GenerateOptions): (row: number) => void {
  const { random } = out
  const drawProject = createProjects(options.seed, options.projects)
  const sources = options.source === 'all' ? SOURCES_BY_SHARE : [options.source]
  const time = createTimeFormatter()
  const startUs = options.endUs - options.spanUs
  const stepUs = options.spanUs / options.rows
  return (row) => {
    const source = pick(random, sources)
    const timestampUs = startUs + Math.floor((row + random.unit()) * stepUs)
    const repeated = oneIn(random, ONE_REPEATED_IN)
    const [open, close] = repeated ? ['[{', '}]'] : ['{', '}']
    const { slim, optionalHeaders = false } = options
    const project = drawProject(random)
    const context: RecordContext = { project, timestampUs, time, slim, optionalHeaders, open, close }
    out.put`{"source":"${sourceName(source, random)}","id":"${uuid}",\
"timestamp":${timestampJson(timestampUs, time, random)},`
    WRITERS[source](out, context)
    out.put`}\n`
  }
}

const ALIASES = new Map(SOURCES.map(({ name, alias }) => [name, alias]))

function sourceName(source: BuiltInSource, random: Random): string {
  return oneIn(random, ONE_ALIAS_IN) ? ALIASES.get(source)! : source
}

function timestampJson(timestampUs: number, time: TimeFormatter, random: Random): string {
  return oneIn(random, ONE_EPOCH_IN) ? String(timestampUs) : `"${time.iso(timestampUs)}"`
}
