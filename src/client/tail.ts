import { escapeControl, escapeControlInDocument } from '../base/escape-control.js'
import { usageError } from '../base/failures.js'
import { formatIso8601 } from '../base/iso8601.js'
import type { Log } from '../base/log.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'
import type { ValuesOf } from '../config/setting.js'
import { TAIL_SETTINGS } from '../config/settings.js'
import { follow } from './follow.js'
import { connectService, ServiceError } from './service.js'

export interface TailConfig extends ValuesOf<typeof TAIL_SETTINGS> {
  project: string
  /** Where the token was found; undefined if none was given. */
  tokenFrom: string | undefined
}

/** Where rows go. */
export interface TailOut {
  /** Rejects with EPIPE where the reader has gone. */
  write(text: string): Promise<void>
  isTerminal: boolean
}

/** The configuration of `logweir tail`. Throws `usage`. */
export function readTail(args: readonly string[], environment: Environment, warn: Log): TailConfig {
  const { values, found } = readSettings(TAIL_SETTINGS, args, environment, { warn })
  const { project } = values
  if (project === undefined) throw usageError('tail of which project? logweir tail --project PROJECT')
  return { ...values, project, tokenFrom: found.get('token')?.where }
}

/** Writes rows as they arrive, until the signal. Rejects with a {@link ServiceError}, `usage`, or EPIPE. */
export async function runTail(
  { project, format, ...address }: TailConfig,
  out: TailOut,
  tell: Log,
  signal: AbortSignal,
) {
  const service = connectService(address)
  const path = `api/tail?${new URLSearchParams({ project })}`
  const show = format === 'ndjson' ? asNdjson(out.isTerminal) : asText
  const ask = (headers: Record<string, string>, ending: AbortSignal) => service.get(path, headers, ending)
  await follow({ ask, onRow: (json) => out.write(show(json)), tell }, signal)
}

/** A row as it came, on one line; line breaks of JSON stand between its parts only. */
const asNdjson = (isTerminal: boolean) => (json: string) => {
  const line = `${json.replaceAll(/[\r\n]/g, ' ')}\n`
  return isTerminal ? escapeControlInDocument(line) : line
}

/** Time and message on one line that cannot drive a terminal. */
function asText(json: string): string {
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
