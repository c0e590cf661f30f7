import { RE2JS } from 're2js'
import { type BytesMatch, type CreateRe2, type Re2, WITHIN_CHARACTER } from './re2.js'
import { withRe2Classes } from './re2-classes.js'
import { createRe2jsSearch, type Places } from './re2js-search.js'

/** Operations of re2js's programs that match no character. */
const ALTERNATIVES = [1, 2]
const EMPTY_WIDTH = 4
const MATCH = 6
const EMPTY_OPERATIONS = [...ALTERNATIVES, 3, EMPTY_WIDTH, 7]
/** The conditions `\b` and `\B`. */
const WORD_BOUNDARY = 16
const NO_WORD_BOUNDARY = 32

/** re2js's words for what is wrong with a pattern, and RE2's. */
const REASONS: readonly (readonly [string, string])[] = [
  ['missing argument to repetition operator', 'no argument for repetition operator'],
  ['invalid nested repetition operator', 'bad repetition operator'],
  ['invalid repeat count', 'invalid repetition size'],
  ['missing closing ]', 'missing ]'],
  ['missing closing )', 'missing )'],
  ['trailing backslash at end of expression', 'trailing \\'],
  ['invalid or unsupported Perl syntax', 'invalid perl operator'],
  ['invalid named capture', 'invalid named capture group'],
]

/**
 * Compiles a pattern with re2js, a port of RE2 to JavaScript, which finds the same matches in the same texts. See
 * native-re2.ts for the patterns that are refused.
 */
export const createJavaScriptRe2: CreateRe2 = (pattern, flags) => {
  if (!pattern.isWellFormed()) throw new Error('invalid UTF-8')
  const internalSource = translated(pattern, flags.includes('m'))
  const compiled = compile(internalSource, flags)
  const isWithinCharacter =
    internalSource.includes('\\B') && findsEmptyText(compiled, NO_WORD_BOUNDARY) && !findsEmptyText(compiled, WORD_BOUNDARY)
  if (isWithinCharacter) throw new Error(WITHIN_CHARACTER)
  return re2Of(compiled, { internalSource, source: withEscapedSlashes(pattern), isGlobal: flags.includes('g') })
}

function compile(source: string, flags: string): RE2JS {
  const ignoresCase = flags.includes('i')
  const options = (ignoresCase ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes('s') ? RE2JS.DOTALL : 0)
  try {
    return RE2JS.compile(withRe2Classes(source, ignoresCase), options)
  } catch (error) {
    const message = (error as Error).message.replace('error parsing regexp: ', '')
    const [reason] = REASONS.filter(([theirs]) => message.startsWith(theirs))
    throw new Error(reason === undefined ? message : reason[1] + message.slice(reason[0].length).replaceAll('`', ''))
  }
}

interface Description {
  internalSource: string
  source: string
  isGlobal: boolean
}

function re2Of(compiled: RE2JS, { internalSource, source, isGlobal }: Description): Re2 {
  const search = createRe2jsSearch(compiled)
  const groupCount = compiled.groupCount()
  const names = Object.entries(compiled.namedGroups())
  const re2 = {
    lastIndex: 0,
    internalSource,
    source,
    test(searched: string | Buffer): boolean {
      const text = wellFormed(searched)
      if (!isGlobal) return search.isFound(text, 0)
      const places = next(text, 0)
      return places !== undefined
    },
    exec(searched: string | Buffer): RegExpExecArray | BytesMatch | null {
      const text = wellFormed(searched)
      const places = next(text, groupCount)
      return places === undefined ? null : matchAt(text, places, names)
    },
    [Symbol.replace](searched: string, replacement: string): string {
      const text = wellFormed(searched)
      re2.lastIndex = 0
      return replaced(text, (from) => search.find(text, from, groupCount), { replacement, isGlobal, names })
    },
  }
  /** Finds the next match, and moves `lastIndex` behind it. */
  function next(text: string | Buffer, groups: number): Places | undefined {
    const from = isGlobal ? re2.lastIndex : 0
    const places = from > text.length ? undefined : search.find(text, from, groups)
    if (isGlobal) re2.lastIndex = places === undefined ? 0 : places[1]
    return places
  }
  return re2 as Re2
}

/** A half surrogate is U+FFFD in UTF-8. */
function wellFormed<T extends string | Buffer>(text: T): T {
  return (typeof text === 'string' && !text.isWellFormed() ? text.toWellFormed() : text) as T
}

type Names = readonly (readonly [name: string, group: number])[]

function matchAt(text: string | Buffer, places: Places, names: Names): RegExpExecArray | BytesMatch {
  const part = (from: number, to: number) => (typeof text === 'string' ? text.slice(from, to) : text.subarray(from, to))
  const groups: (string | Buffer | undefined)[] = []
  for (let i = 0; i < places.length; i += 2) groups.push(places[i] < 0 ? undefined : part(places[i], places[i + 1]))
  const named = names.length === 0 ? undefined : Object.assign(Object.create(null), groupsByName(groups, names))
  return Object.assign(groups, { index: places[0], input: text, groups: named }) as never
}

const groupsByName = <T>(groups: readonly T[], names: Names): Record<string, T> =>
  Object.fromEntries(names.map(([name, group]) => [name, groups[group]]))

interface Replacing {
  replacement: string
  isGlobal: boolean
  names: Names
}

function replaced(
  text: string,
  find: (from: number) => Places | undefined,
  { replacement, isGlobal, names }: Replacing,
): string {
  let result = ''
  let at = 0
  for (let places = find(0); places !== undefined; places = at <= text.length ? find(at) : undefined) {
    const [start, end] = places
    result += text.slice(at, start) + expanded(replacement, text, places, names)
    at = end
    if (start === end) {
      const character = String.fromCodePoint(text.codePointAt(end) ?? 0)
      if (end < text.length) result += character
      at += character.length
    }
    if (!isGlobal) break
  }
  return result + text.slice(at)
}

/** Returns a replacement with the groups of a match: `$&`, `$1`, `$01`, `$<name>`, `$$`. */
function expanded(replacement: string, text: string, places: Places, names: Names): string {
  if (!replacement.includes('$')) return replacement
  const group = (i: number) => (places[2 * i] < 0 ? '' : text.slice(places[2 * i], places[2 * i + 1]))
  const count = places.length / 2
  return replacement.replace(/\$(?:[$&`']|(\d\d?)|<([^>]*)>)/g, (spelling, digits?: string, name?: string) => {
    if (spelling === '$$') return '$'
    if (spelling === '$&') return group(0)
    if (spelling === '$`') return text.slice(0, places[0])
    if (spelling === "$'") return text.slice(places[1])
    if (name !== undefined) return names.length === 0 ? spelling : namedGroup(name, names, group)
    const number = Number(digits)
    if (number > 0 && number < count) return group(number)
    const first = Number(digits![0])
    return digits!.length === 2 && first > 0 && first < count ? group(first) + digits![1] : spelling
  })
}

function namedGroup(name: string, names: Names, group: (i: number) => string): string {
  const found = names.find(([known]) => known === name)
  return found === undefined ? '' : group(found[1])
}

/** Whether a program matches the empty text at a place where only one condition is true. */
function findsEmptyText(compiled: RE2JS, condition: number): boolean {
  const { inst, start } = compiled.re2().prog
  const seen = new Set<number>()
  const waiting = [start]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const { op, out, arg } = inst[at]
    if (op === MATCH) return true
    if (!EMPTY_OPERATIONS.includes(op) || (op === EMPTY_WIDTH && (arg & ~condition) !== 0)) continue
    waiting.push(out)
    if (ALTERNATIVES.includes(op)) waiting.push(arg)
  }
  return false
}

/** Returns what the package `re2` passes to RE2: it has the same spelling for a slash and for a group with a name. */
function translated(pattern: string, isMultiline: boolean): string {
  if (pattern === '') return '(?:)'
  const source = pattern.replace(/\\[pP]\{(.)\}|\\.|\/|\(\?<(?![=!])/gsu, (token, letter?: string) => {
    if (letter !== undefined) return token.slice(0, 2) + letter
    if (token === '/') return '\\/'
    return token === '(?<' ? '(?P<' : token
  })
  return isMultiline ? `(?m)${source}` : source
}

function withEscapedSlashes(pattern: string): string {
  return pattern === '' ? '(?:)' : pattern.replace(/\\.|\//gsu, (token) => (token === '/' ? '\\/' : token))
}
