import type { RE2JS } from 're2js'
import type { BytesMatch, CreateRe2, Re2 } from './re2.js'
import { checkForRe2js, compileForRe2js } from './re2js-program.js'
import { createRe2jsSearch, type Places } from './re2js-search.js'

/**
 * Compiles a pattern with re2js, a port of RE2 to JavaScript, which finds the same matches in the same texts. See
 * native-re2.ts for the patterns that are refused.
 */
export const createJavaScriptRe2: CreateRe2 = (pattern, flags) => {
  if (!pattern.isWellFormed()) throw new Error('invalid UTF-8')
  const internalSource = translated(pattern, flags.includes('m'))
  const compiled = compileForRe2js(internalSource, flags)
  checkForRe2js(compiled)
  return re2Of(compiled, { internalSource, source: withEscapedSlashes(pattern), isGlobal: flags.includes('g') })
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
    endFrom: search.endFrom,
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
