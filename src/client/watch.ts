import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { escapeControl, escapeControlInDocument } from '../base/text/escape-control.js'
import { MIB } from '../base/units.js'
import { WATCH_SETTINGS } from '../config/client-settings.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import type { ValuesOf } from '../config/setting.js'
import { type EndpointCall, readEndpointCall, requestOf } from './endpoint-call.js'
import { listEndpoints } from './endpoints.js'
import { eventLine } from './event-line.js'
import { withExcerpt } from './excerpt.js'
import { follow, logMessage, type ServerEvent } from './follow.js'
import { createLiveResult } from './live-result.js'
import { checkColumnsFlag, formatOf, type RowsOut, writeTable } from './output.js'
import { createRepaint, type Screen } from './repaint.js'
import { connectService } from './service.js'
import type { Row } from './table/table.js'

/** The configuration of `logweir watch`. */
export interface WatchConfig extends Omit<ValuesOf<typeof WATCH_SETTINGS>, 'sql' | 'sqlFile'>, EndpointCall {
  endpoint: string
}

/** The output of {@link runWatch}. */
export interface WatchOut extends RowsOut {
  /** Undefined: the output is not a terminal, or its cursor cannot be moved. */
  screen: Screen | undefined
}

/** A service keeps at most 64 MiB of the last results, and no event is longer than a result. */
const LIMITS = { maxEventCharacters: 64 * MIB }

/** Reads the configuration of `logweir watch`. Throws `usage`, and `failed` if the file of `--sql-file` is missing. */
export function readWatch(args: readonly string[], environment: Environment, warn: Log): WatchConfig {
  const result = readSettings(WATCH_SETTINGS, args, environment, { warn, allowsExtras: true })
  const { sqlFile: _, ...values } = result.values
  const { endpoint, ...call } = readEndpointCall('watch', result)
  if (endpoint === undefined)
    throw usageError('watch which endpoint? logweir watch ENDPOINT; logweir query lists them.')
  checkColumnsFlag(values)
  return { ...values, ...call, endpoint }
}

/**
 * Writes the result of a query whenever it changes, until the signal is aborted: as a table, or the events as NDJSON.
 * Rejects with a {@link ServiceError}, `usage`, `failed` if the service does not run SQL, or EPIPE.
 */
export async function runWatch(config: WatchConfig, out: WatchOut, log: Log, signal: AbortSignal): Promise<void> {
  try {
    const service = connectService(config)
    const request = requestOf(config, service, await listEndpoints(service, signal), WATCH_SETTINGS)
    const view = formatOf(config, out) === 'table' ? tables(config.columns, out) : lines(out)
    const tell: Log = (message, fields) => {
      view.leave()
      log(message, fields)
    }
    const warned = new Set<string>()
    const connect = async (headers: Record<string, string>, ending: AbortSignal) => {
      const answer = await request(headers, ending)
      for (const warning of answer.warnings) {
        if (!warned.has(warning)) tell(escapeControl(warning), { level: 'warn' })
        warned.add(warning)
      }
      return answer
    }
    const onEvent = (event: ServerEvent) => view.show(event, tell)
    await follow({ connect, onEvent, log: tell, limits: LIMITS }, signal)
  } catch (error) {
    if (signal.aborted) return
    throw config.sql === undefined ? error : withExcerpt(error, config.sql, out.errorColumns)
  }
}

/** Writes events in a format. */
interface View {
  /** Writes an event. `tell` logs a message of the service. */
  show(event: ServerEvent, tell: Log): Promise<void>
  /** Called before other lines are printed. */
  leave(): void
}

/** Whether an event is about the result. Others are messages of the service. */
const isOfResult = ({ event }: ServerEvent) => event === 'snapshot' || event === 'change'

function lines({ write, terminal }: WatchOut): View {
  const printable = (line: string) => (terminal === undefined ? line : escapeControlInDocument(line))
  return {
    async show(event, tell) {
      await write(printable(`${eventLine(event)}\n`))
      if (!isOfResult(event)) logMessage(event, tell)
    },
    leave() {},
  }
}

function tables(columns: readonly string[] | undefined, out: WatchOut): View {
  const { write, screen } = out
  const result = createLiveResult()
  const { paint, leave } = screen === undefined ? inSequence(columns, out) : createRepaint(write, screen, columns)
  return {
    async show(event, tell) {
      if (isOfResult(event)) await paint(result.apply(event))
      else logMessage(event, tell)
    },
    leave,
  }
}

/** Writes tables one after another, with an empty line between two of them. */
function inSequence(columns: readonly string[] | undefined, out: WatchOut) {
  let separator = ''
  return {
    async paint(rows: readonly Row[]) {
      await out.write(separator)
      separator = '\n'
      await writeTable(rows, { columns }, out)
    },
    leave() {},
  }
}
