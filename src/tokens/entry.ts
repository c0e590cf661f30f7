import { usageError } from '../base/failures.js'
import { TOKEN_SETTINGS } from '../config/directory-settings.js'
import { isoTime, type ValueType } from '../config/value-types.js'
import type { Scope } from './access.js'

/** A token in the file of hashed tokens. */
export interface TokenEntry {
  /** 8 hexadecimal digits, unique and never changed. For people, like the name. */
  id: string
  name?: string
  /** The SHA-256 of the token, in hexadecimal digits. */
  sha256: string
  scopes: readonly Scope[]
  /** The projects to which the token is restricted. Absent: all projects. */
  projects?: readonly string[]
  /** ISO 8601. Absent: the token does not expire. */
  expires?: string
  /** The rate limit, such as 100/s. Absent: no limit. */
  rate?: string
  /** When the token was created, ISO 8601. */
  created: string
}

/** The largest number of tokens in a file. */
export const MAX_TOKENS = 10_000

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

/**
 * The valid members of an entry, with the types of the corresponding settings. Other members are refused, since an
 * unknown member may be a misspelled restriction.
 */
const MEMBERS: Record<keyof TokenEntry, Member> = {
  id: member(hex(8), true),
  name: member(name.type),
  sha256: member(hex(64), true),
  scopes: member(scope.type, true, true),
  projects: member(project.type, false, true),
  expires: member(isoTime),
  rate: member(rate.type),
  created: member(isoTime, true),
}

/** Whether the text of a tokens file contains hashed tokens, not plain tokens: the text begins with a brace. */
export const isTokenEntriesText = (text: string): boolean => /^\s*\{/.test(text)

/** Formats entries as the text of a file of hashed tokens. */
export function formatTokenEntries(entries: readonly TokenEntry[]): string {
  return `${JSON.stringify({ tokens: entries }, null, 2)}\n`
}

/**
 * Parses the text of a file of hashed tokens, which a person may have edited. Throws `usage`. `path` is for the error
 * message.
 */
export function parseTokenEntries(text: string, path: string): TokenEntry[] {
  const tokens = parseList(text)
  if (tokens === undefined)
    throw usageError(`${path}: is not of the form {"tokens":[…]}, in JSON. Correct or remove it.`)
  if (tokens.length > MAX_TOKENS) throw usageError(`${path}: holds more than ${MAX_TOKENS} tokens. Revoke some.`)
  const entries = tokens.map((token, i) => checkEntry(token, `${path}: token ${i + 1}`))
  for (const name of ['id', 'name', 'sha256'] as const) refuseDuplicates(entries, name, path)
  return entries
}

function parseList(text: string): unknown[] | undefined {
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

/** Checks a list as the text that would be typed, so no item may contain a comma. */
function isOfType(value: unknown, { type, isList }: Member): boolean {
  if (!isList) return typeof value === 'string' && type.read(value) !== undefined
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string' || one.includes(','))) return false
  return type.read(value.join(',')) !== undefined
}

function refuseDuplicates(entries: readonly TokenEntry[], name: 'id' | 'name' | 'sha256', path: string): void {
  const seen = new Set<string>()
  for (const [i, { [name]: value }] of entries.entries()) {
    if (value === undefined) continue
    if (seen.has(value)) throw usageError(`${path}: token ${i + 1} has the "${name}" of another. Remove one of them.`)
    seen.add(value)
  }
}
