import { randomBytes } from 'node:crypto'
import { stateError, usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import type { Clock } from '../base/time/clock.js'
import { MILLISECOND_US } from '../base/units.js'
import type { TokenConfig, TokenCreateConfig } from '../config/token-config.js'
import type { Expiry } from '../config/value-types.js'
import { MAX_TOKENS, type TokenEntry } from './entry.js'
import { generateToken } from './stored-token.js'
import { digestOf } from './token-registry.js'
import { tokensFilePath } from './tokens-file.js'
import { readTokenEntries, updateTokenEntries } from './update-file.js'

/** `logweir token`: creates, lists and revokes the tokens in a file, whether a service is running or not. */

interface TokenContext {
  /** Resolves when the text has been written. Rejects with EPIPE if the reader has closed the pipe. */
  print(text: string): unknown
  log: Log
  clock: Clock
}

const ID_BYTES = 4

/** Runs a token command. Throws `usage`, or `failed` if the file or the contents of the file do not allow it now. */
export async function runTokenCommand(config: TokenConfig, context: TokenContext): Promise<void> {
  const path = config.tokensFile ?? tokensFilePath(config.dataDir)
  if (config.action === 'create') return create(config, path, context)
  if (config.action === 'revoke') return revoke(config.idOrName, path, context)
  await context.print(config.json ? jsonOf(readTokenEntries(path)) : tableOf(readTokenEntries(path)))
}

/** Prints only the token to standard output, so that a script can read the token. */
async function create(config: TokenCreateConfig, path: string, { print, log, clock }: TokenContext): Promise<void> {
  const token = generateToken()
  const entry = entryOf(config, token, clock.nowUs())
  await updateTokenEntries(path, (entries) => {
    if (entries.length >= MAX_TOKENS) throw stateError(`${path} holds ${MAX_TOKENS} tokens. Revoke some.`)
    if (entries.some(({ id, name }) => id === entry.name || (name !== undefined && name === entry.name))) {
      throw stateError(`--name ${entry.name}: ${path} has a token of that name. Choose another, or revoke that one.`)
    }
    return [...entries, entry]
  })
  await print(`${token}\n`)
  log(`created the token ${entry.name ?? entry.id}, shown only this once: ${path} stores its SHA-256`)
}

function entryOf({ name, scope, project, expires, rate }: TokenCreateConfig, token: string, nowUs: number): TokenEntry {
  return {
    id: randomBytes(ID_BYTES).toString('hex'),
    ...(name === undefined ? {} : { name }),
    sha256: digestOf(token).toString('hex'),
    scopes: scope,
    ...(project === undefined ? {} : { projects: project }),
    ...(expires === undefined ? {} : { expires: isoTime(expiryUs(expires, nowUs)) }),
    ...(rate === undefined ? {} : { rate: rate.text }),
    created: isoTime(nowUs),
  }
}

function expiryUs(expires: Expiry, nowUs: number): number {
  const atUs = 'atUs' in expires ? expires.atUs : nowUs + expires.afterUs
  if (atUs > nowUs) return atUs
  throw usageError(`--expires: ${isoTime(atUs)} has passed. Give a future time.`)
}

const isoTime = (timestampUs: number) => new Date(Math.floor(timestampUs / MILLISECOND_US)).toISOString()

async function revoke(idOrName: string, path: string, { log }: TokenContext): Promise<void> {
  await updateTokenEntries(path, (entries) => {
    const others = entries.filter(({ id, name }) => id !== idOrName && name !== idOrName)
    const found = entries.length - others.length
    if (found === 1) return others
    if (found > 1) throw stateError(`${path} has ${found} tokens of that id or name. Give the id of one.`)
    throw stateError(`${path} has no token of that id or name. Try: logweir token list`)
  })
  log(`revoked the token ${idOrName}`)
}

function jsonOf(entries: readonly TokenEntry[]): string {
  return entries.map(({ sha256, ...shown }) => `${JSON.stringify(shown)}\n`).join('')
}

const TITLES = ['ID', 'NAME', 'SCOPES', 'PROJECTS', 'EXPIRES', 'RATE', 'CREATED']

function tableOf(entries: readonly TokenEntry[]): string {
  const rows = entries.map(({ id, name, scopes, projects, expires, rate, created }) => [
    id,
    name ?? '-',
    scopes.join(','),
    projects?.join(',') ?? 'all',
    expires ?? 'never',
    rate ?? 'any',
    created,
  ])
  const lines = [TITLES, ...rows]
  const widths = TITLES.map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, i) => cell.padEnd(widths[i]))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
