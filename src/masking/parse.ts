import type { LogweirError } from '../base/errors.js'
import { usageError } from '../base/failures.js'
import { didYouMean } from '../base/text/nearest.js'
import { shorten } from '../base/text/shorten.js'
import { isSourceName } from '../common/own-source-names.js'
import { nameOfSource, type SourceName } from '../common/sources.js'
import { readTomlFile } from '../config/toml-file.js'
import { BUILT_INS, type BuiltIn } from './finders/built-in.js'
import { patternFinder } from './finders/pattern.js'
import { ANY_KEYS, type Masked, type MaskRule, TREATMENTS, type Treatment } from './rule.js'

/** The most rules of a file. */
export const MAX_RULES = 100
/** The most patterns of a file that are not built in: RE2 keeps up to 8 MiB for each. */
export const MAX_PATTERNS = 20
/** The most keys of a path. */
export const MAX_PATH_KEYS = 32

const NAMES = { content: 'the rules of masks', file: 'a file of masks' }
const SECTION = 'mask'
const MEMBERS = ['name', 'source', 'path', 'pattern', 'builtin', 'with']
/** The members that say what a rule masks, one of which a rule has. */
const KINDS = ['path', 'pattern', 'builtin'] as const
const MAX_SHOWN_CHARACTERS = 64
/** The field of records in which paths start, and which a path may name. */
const METADATA = 'metadata'
/** A key of a path: in quotes, as JSON, if it has a point. */
const KEY = /"(?:[^"\\]|\\.)*"|[^."]+/gy

/** A rule as the file has it. */
interface Entry {
  table: Readonly<Record<string, unknown>>
  /** The place of a member, or of the rule, for error messages. */
  placeOf(member?: string): string
}

/**
 * Reads a file of masks. Throws `usage` with one line that names the file, the line and the remedy, and `failed` if the
 * file cannot be read.
 */
export function readMaskFile(path: string): MaskRule[] {
  const { table, source } = readTomlFile(path, NAMES)
  return parseMasks(table, (rule, member) => placeIn(path, source, rule, member))
}

/**
 * Checks the table of a file of masks. `placeOf` returns the place of a member of a rule, or of the rule, for error
 * messages. Throws the errors of {@link readMaskFile} about the content.
 */
export function parseMasks(
  table: Readonly<Record<string, unknown>>,
  placeOf: (rule: number, member: string | undefined) => string,
): MaskRule[] {
  const unknown = Object.keys(table).find((name) => name !== SECTION)
  if (unknown !== undefined) {
    throw usageError(`${placeOf(0, unknown)}: ${shown(unknown)} is unknown. Each rule is a section [[${SECTION}]].`)
  }
  const entries = table[SECTION] ?? []
  if (!Array.isArray(entries)) throw usageError(`${placeOf(0, undefined)}: write [[${SECTION}]], with two brackets.`)
  if (entries.length > MAX_RULES) {
    throw usageError(`${placeOf(MAX_RULES, undefined)}: there are over ${MAX_RULES} rules. Join rules in patterns.`)
  }
  const rules = entries.map((entry, rule) => readRule({ table: entry, placeOf: (member) => placeOf(rule, member) }))
  const patterns = rules.flatMap(({ masked }, rule) => ('pattern' in masked ? [rule] : []))
  if (patterns.length <= MAX_PATTERNS) return rules
  throw usageError(
    `${placeOf(patterns[MAX_PATTERNS]!, 'pattern')}: there are over ${MAX_PATTERNS} patterns. Join some with |.`,
  )
}

function readRule(entry: Entry): MaskRule {
  const { table } = entry
  const unknown = Object.keys(table).find((member) => !MEMBERS.includes(member))
  if (unknown !== undefined) throw fault(entry, unknown, `is unknown. ${didYouMean(unknown, MEMBERS)}`)
  const masked = readMasked(entry)
  return {
    name: table.name === undefined ? nameOf(table) : readText(entry, 'name'),
    source: table.source === undefined ? undefined : readSource(entry),
    masked,
    with: readTreatment(entry),
  }
}

/** Returns the name of a rule without one: the path, the pattern or the name of the built-in pattern, as written. */
const nameOf = ({ path, pattern, builtin }: Entry['table']): string => String(path ?? pattern ?? builtin)

function readMasked(entry: Entry): Masked {
  const kinds = KINDS.filter((kind) => entry.table[kind] !== undefined)
  if (kinds.length !== 1) {
    const found = kinds.length === 0 ? 'none' : kinds.join(' and ')
    throw usageError(`${entry.placeOf()}: a rule has one of ${KINDS.join(', ')}, and this one has ${found}.`)
  }
  if (kinds[0] === 'path') return { path: readPath(entry) }
  return kinds[0] === 'pattern' ? { pattern: readPattern(entry) } : { builtin: readBuiltIn(entry) }
}

function readPath(entry: Entry): string[] {
  const text = readText(entry, 'path')
  const keys = keysOf(text)
  const remedy = 'Write keys with points between them, as request.headers.authorization, and * for any number of keys.'
  if (keys === undefined) throw fault(entry, 'path', `has a key that is missing or not in whole quotes. ${remedy}`)
  if (keys.length > 1 && keys[0] === METADATA) keys.shift()
  if (keys.length > MAX_PATH_KEYS) throw fault(entry, 'path', `has over ${MAX_PATH_KEYS} keys.`)
  if (keys.every((key) => key === ANY_KEYS)) throw fault(entry, 'path', `is every field. ${remedy}`)
  return keys
}

/** Returns the keys of a path. Undefined if a key is missing, or its quotes are not closed. */
function keysOf(text: string): string[] | undefined {
  const keys: string[] = []
  for (let at = 0; ; at++) {
    KEY.lastIndex = at
    const [key] = KEY.exec(text) ?? []
    if (key === undefined) return undefined
    at += key.length
    if (at < text.length && text[at] !== '.') return undefined
    try {
      keys.push(key.startsWith('"') ? JSON.parse(key) : key)
    } catch {
      return undefined
    }
    if (at === text.length) return keys
  }
}

function readPattern(entry: Entry): string {
  const pattern = readText(entry, 'pattern')
  try {
    patternFinder(pattern)
    return pattern
  } catch (error) {
    throw fault(entry, 'pattern', `cannot be used. ${(error as LogweirError).message}`)
  }
}

function readBuiltIn(entry: Entry): BuiltIn {
  const name = readText(entry, 'builtin')
  const builtIn = BUILT_INS.find((one) => one === name)
  if (builtIn !== undefined) return builtIn
  throw fault(entry, 'builtin', `is ${shown(name)}, and can be ${BUILT_INS.join(', ')}.`)
}

function readSource(entry: Entry): SourceName {
  const name = nameOfSource(readText(entry, 'source'))
  if (isSourceName(name)) return name
  throw fault(entry, 'source', 'cannot be the name of a source.')
}

function readTreatment(entry: Entry): Treatment {
  const text = entry.table.with
  const treatment = TREATMENTS.find((one) => one === text)
  if (treatment !== undefined) return treatment
  throw fault(entry, 'with', `is ${TREATMENTS.map((one) => JSON.stringify(one)).join(', ')}; this rule has another.`)
}

function readText(entry: Entry, member: string): string {
  const value = entry.table[member]
  if (typeof value === 'string' && value !== '') return value
  throw fault(entry, member, 'is not a text in quotes.')
}

const fault = (entry: Entry, member: string, sentence: string) =>
  usageError(`${entry.placeOf(member)}: ${shown(member)} ${sentence}`)

const shown = (text: string): string => {
  const short = shorten(text, MAX_SHOWN_CHARACTERS)
  return /^[\w.-]+$/.test(short) ? short : JSON.stringify(short)
}

/** Returns the file and the line of a member of a rule, of the rule if there is none, or of the file. */
function placeIn(path: string, source: string, rule: number, member: string | undefined): string {
  const lines = source.split('\n').map((line) => line.trim())
  const heads = lines.flatMap((line, i) => (/^\[\[\s*mask\s*\]\]/.test(line) ? [i] : []))
  const head = heads[rule]
  if (head === undefined) return rule === 0 ? path : `${path}, rule ${rule + 1}`
  const end = heads[rule + 1] ?? lines.length
  const isMember = (line: string) =>
    member !== undefined && line.startsWith(member) && /^\s*=/.test(line.slice(member.length))
  const at = lines.findIndex((line, i) => i > head && i < end && isMember(line))
  return `${path} line ${(at < 0 ? head : at) + 1}`
}
