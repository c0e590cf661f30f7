import { validateHeaderName } from 'node:http'
import { usageError } from '../../base/failures.js'
import { didYouMean } from '../../base/text/nearest.js'
import type { Environment } from '../../config/environment.js'
import { placeOf, readTomlFile } from '../../config/toml-file.js'
import { readSecret } from './secret.js'

const KINDS = ['webhook', 'slack', 'alertmanager'] as const
const KEYS = ['kind', 'url', 'headers']

/** A receiver of alerts. URL and headers are secrets: only the name may be shown. */
export interface Receiver {
  name: string
  kind: (typeof KINDS)[number]
  url: string
  headers: Readonly<Record<string, string>>
}

/** The receivers of a file, by name, and a problem that does not prevent their use. */
export interface Receivers {
  receivers: ReadonlyMap<string, Receiver>
  warning: string | undefined
}

/** The most receivers of a file, and the most headers of a receiver. */
export const MAX_RECEIVERS = 50
const MAX_HEADERS = 20
const NAME = /^[a-z][\w-]{0,63}$/i
/** Headers that belong to the connection, or that a delivery sets. */
const OWN_HEADERS = ['connection', 'content-length', 'content-type', 'host', 'idempotency-key', 'transfer-encoding']
const OWN: ReadonlySet<string> = new Set([...OWN_HEADERS, 'expect', 'keep-alive', 'te', 'trailer', 'upgrade'])
const FILE = { content: 'the receivers', file: 'a file of receivers' }

/**
 * Reads the file of `--receivers`: a table for each receiver, with `kind`, `url` and `headers`. Throws `usage` for a
 * wrong file or a missing environment variable, `failed` if the file, or the file of a secret, cannot be read. Messages
 * name the receiver and the key, and contain no value of either.
 */
export function readReceivers(path: string, environment: Environment): Receivers {
  const { table, source, isReadableByAll } = readTomlFile(path, FILE)
  const names = Object.keys(table)
  if (names.length > MAX_RECEIVERS) throw usageError(`${path}: there may be ${MAX_RECEIVERS} receivers.`)
  const receivers = names.map((name) => readReceiver(name, table[name], placeOf(path, source, name), environment))
  return {
    receivers: new Map(receivers.map((receiver) => [receiver.name, receiver])),
    warning: isReadableByAll
      ? `${path} may hold secrets, and every user of this machine can read the file: chmod 600 ${path}`
      : undefined,
  }
}

function readReceiver(name: string, table: unknown, place: string, environment: Environment): Receiver {
  if (!NAME.test(name)) throw usageError(`${place}: a receiver has a name of letters, digits, - and _: [ops].`)
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    throw usageError(`${place}: ${name} is not a table. Write [${name}] above the lines of the receiver.`)
  const { kind, url, headers = {} } = table as Record<string, unknown>
  const unknown = Object.keys(table).find((key) => !KEYS.includes(key))
  if (unknown !== undefined)
    throw usageError(
      `${place}: ${name} has an unknown key ${JSON.stringify(unknown.slice(0, 64))}. ${didYouMean(unknown, KEYS)}`,
    )
  const known = KINDS.find((one) => one === kind)
  if (known === undefined)
    throw usageError(`${place}: ${name} needs a kind: ${KINDS.map((one) => `"${one}"`).join(', ')}.`)
  return {
    name,
    kind: known,
    url: readUrl(url, `${place}: url of ${name}`, environment),
    headers: readHeaders(headers, `${place}: headers of ${name}`, environment),
  }
}

function readUrl(written: unknown, where: string, environment: Environment): string {
  const text = readSecret(written, where, environment)
  if (!URL.canParse(text)) throw usageError(`${where} is not a URL, such as https://example.com/hook.`)
  const { protocol, username, password, href } = new URL(text)
  if (!/^https?:$/.test(protocol)) throw usageError(`${where} begins neither with https:// nor with http://.`)
  if (username !== '' || password !== '')
    throw usageError(`${where} has a name or a password: send a header Authorization.`)
  return href
}

function readHeaders(written: unknown, where: string, environment: Environment): Record<string, string> {
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    throw usageError(`${where} are not a table: headers = { Authorization = { env = "NAME" } }.`)
  const entries = Object.entries(written)
  if (entries.length > MAX_HEADERS) throw usageError(`${where}: there may be ${MAX_HEADERS}.`)
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const shown = JSON.stringify(name.slice(0, 64))
      if (!isHeaderName(name)) throw usageError(`${where}: ${shown} is not the name of a header.`)
      if (OWN.has(name.toLowerCase()))
        throw usageError(`${where}: ${shown} is set by the delivery itself. Delete the line.`)
      return [name, readSecret(value, `${where}: ${shown}`, environment)]
    }),
  )
}

function isHeaderName(name: string): boolean {
  try {
    validateHeaderName(name)
    return true
  } catch {
    return false
  }
}
