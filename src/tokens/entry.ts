import { usageError } from '../base/failures.js'
import { parseIso8601 } from '../base/iso8601.js'
import { TOKEN_SETTINGS } from '../config/settings.js'
import type { ValueType } from '../config/value-types.js'
import type { Scope } from './access.js'

/** A token as the tokens file has it. */
export interface TokenEntry {
  /** Its own for ever; for people, as the name is. */
  id: string
  name?: string
  /** Of the token, in hexadecimal digits. */
  sha256: string
  scopes: readonly Scope[]
  /** The only projects that it opens; absent: all. */
  projects?: readonly string[]
  /** ISO 8601; absent: never. */
  expires?: string
  /** As 100/s; absent: as often as one likes. */
  rate?: string
  /** ISO 8601. */
  created: string
}

/** Tokens that a file holds at the most. */
export const MAX_TOKENS = 10_000

const time: ValueType<number> = {
  placeholder: '',
  expects: 'an ISO 8601 time, such as 2026-11-20T10:00:00Z',
  read: parseIso8601,
}
const hex = (digits: number): ValueType<string> => ({
  placeholder: '',
  expects: `a text of ${digits} lower-case hexadecimal digits`,
  read: (value) => (/^[0-9a-f]+$/.test(value) && value.length === digits ? value : undefined),
})

interface Member {
  type: ValueType<unknown>
  isRequired: boolean
  isList: boolean
}

const member = (type: ValueType<unknown>, isRequired = false, isList = false): Member => ({ type, isRequired, isList })

const { name, scope, project, rate } = TOKEN_SETTINGS

/** All that an entry can hold, as it could be typed: anything else may be a restriction misspelled, and is refused. */
const MEMBERS: Record<keyof TokenEntry, Member> = {
  id: member(hex(8), true),
  name: member(name.type),
  sha256: member(hex(64), true),
  scopes: member(scope.type, true, true),
  projects: member(project.type, false, true),
  expires: member(time),
  rate: member(rate.type),
  created: member(time, true),
}

/** Whether a text is that of a file of hashed tokens, and not of plain ones. */
export const isTokenEntriesText = (text: string): boolean => /^\s*\{/.test(text)

/** The text of a file of hashed tokens. */
export function formatTokenEntries(entries: readonly TokenEntry[]): string {
  return `${JSON.stringify({ tokens: entries }, null, 2)}\n`
}

/** Reads what {@link formatTokenEntries} has written, or a person. `path` is for complaints. Throws `usage`. */
export function parseTokenEntries(text: string, path: string): TokenEntry[] {
  const tokens = listIn(text)
  if (tokens === undefined)
    throw usageError(`${path}: is not of the form {"tokens":[…]}, in JSON. Correct or remove it.`)
  if (tokens.length > MAX_TOKENS) throw usageError(`${path}: holds more than ${MAX_TOKENS} tokens. Revoke some.`)
  const entries = tokens.map((token, i) => checkEntry(token, `${path}: token ${i + 1}`))
  for (const name of ['id', 'name', 'sha256'] as const) checkDoubles(entries, name, path)
  return entries
}

function listIn(text: string): unknown[] | undefined {
  try {
    const { tokens, ...others } = JSON.parse(text)
    return Array.isArray(tokens) && Object.keys(others).length === 0 ? tokens : undefined
  } catch {
    return undefined
  }
}

function checkEntry(token: unknown, where: string): TokenEntry {
  if (typeof token !== 'object' || token === null || Array.isArray(token))
    throw usageError(`${where} is not an object.`)
  const unknown = Object.keys(token).find((name) => !Object.hasOwn(MEMBERS, name))
  if (unknown !== undefined) {
    const known = Object.keys(MEMBERS).join(', ')
    throw usageError(`${where} has ${JSON.stringify(unknown)}, which is not one of ${known}. Correct or remove it.`)
  }
  for (const [name, one] of Object.entries(MEMBERS)) {
    const value = (token as Record<string, unknown>)[name]
    if (value === undefined ? one.isRequired : !isOfType(value, one)) {
      throw usageError(
        `${where}: "${name}" is not ${one.isList ? 'a JSON array that corresponds to ' : ''}${one.type.expects}.`,
      )
    }
  }
  return token as TokenEntry
}

/** A list is judged as it would be typed: no value of one has a comma. */
function isOfType(value: unknown, { type, isList }: Member): boolean {
  if (!isList) return typeof value === 'string' && type.read(value) !== undefined
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string' || one.includes(','))) return false
  return type.read(value.join(',')) !== undefined
}

function checkDoubles(entries: readonly TokenEntry[], name: 'id' | 'name' | 'sha256', path: string): void {
  const seen = new Set<string>()
  for (const [i, { [name]: value }] of entries.entries()) {
    if (value === undefined) continue
    if (seen.has(value)) throw usageError(`${path}: token ${i + 1} has the "${name}" of another. Remove one of them.`)
    seen.add(value)
  }
}
