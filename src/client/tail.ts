import type { Log } from '../base/log.js'
import { escapeControl, escapeControlInDocument } from '../base/text/escape-control.js'
import { formatIso8601 } from '../base/time/iso8601.js'
import { TAIL_SETTINGS } from '../config/client-settings.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import type { ValuesOf } from '../config/setting.js'
import { onOneLine } from './event-line.js'
import { follow, logMessage, type ServerEvent } from './follow.js'
import { connectService, ServiceError } from './service.js'

/** The configuration of `logweir tail`. */
export interface TailConfig extends ValuesOf<typeof TAIL_SETTINGS> {
  /** The variable or place in a file that contains the token. Undefined if none is set. */
  tokenFrom: string | undefined
}

/** The output of the rows. */
export interface TailOut {
  /** Rejects with EPIPE if the reader has closed the pipe. */
  write(text: string): Promise<void>
  isTerminal: boolean
}

/** Reads the configuration of `logweir tail`. Throws `usage`. */
export function readTail(args: readonly string[], environment: Environment, warn: Log): TailConfig {
  const { values, found } = readSettings(TAIL_SETTINGS, args, environment, { warn })
  return { ...values, tokenFrom: found.get('token')?.where }
}

/** Writes rows on arrival until the signal is aborted. Rejects with a {@link ServiceError}, `usage`, or EPIPE. */
export async function runTail(
  { project, source, filter, search, format, ...address }: TailConfig,
  out: TailOut,
  log: Log,
  signal: AbortSignal,
) {
  const service = connectService(address)
  const rows = {
    ...(project && { project }),
    ...(source && { source }),
    ...(filter && { filter }),
    ...(search && { search }),
  }
  const path = `api/tail?${new URLSearchParams(rows)}`
  const formatRow = format === 'ndjson' ? toNdjson(out.isTerminal) : toText
  const connect = (headers: Record<string, string>, ending: AbortSignal) => service.get(path, headers, ending)
  const onEvent = async (event: ServerEvent) =>
    event.event === undefined ? out.write(formatRow(event.data)) : logMessage(event, log)
  try {
    await follow({ connect, onEvent, log }, signal)
  } catch (error) {
    throw project === undefined ? withFlag(error) : error
  }
}

/** Adds the flag to the error of a service that has no default project: no other parameter of a tail is required. */
function withFlag(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.reasonCode !== 'missing_parameter') return error
  return new ServiceError(`${error.message} Here: logweir tail --project PROJECT`, { status: 400 })
}

const toNdjson = (isTerminal: boolean) => (json: string) => {
  const line = `${onOneLine(json)}\n`
  return isTerminal ? escapeControlInDocument(line) : line
}

/** Returns time and message on a single line, with control characters escaped. */
function toText(json: string): string {
  const { timestamp, event_message: message } = parseRow(json)
  return `${formatIso8601(timestamp)}  ${escapeControl(message)}\n`
}

function parseRow(json: string): { timestamp: number; event_message: string } {
  try {
    const row = JSON.parse(json)
    if (Number.isSafeInteger(row.timestamp) && typeof row.event_message === 'string') return row
  } catch {}
  throw new ServiceError('the service sent an event that is not a row. Is it another version?', { status: 200 })
}
