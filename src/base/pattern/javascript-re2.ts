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

/**
 * Returns the pattern that the package `re2` passes to RE2: it has the same spelling for a slash and for a group with a
 * name.
 */
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
