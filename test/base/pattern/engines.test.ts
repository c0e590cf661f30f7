import { describe, expect, it } from 'vitest'
import { createJavaScriptRe2 } from '../../../src/base/pattern/javascript-re2.js'
import { createNativeRe2 } from '../../../src/base/pattern/native-re2.js'
import { toRe2Syntax } from '../../../src/base/pattern/pattern.js'
import type { BytesMatch, CreateRe2, Re2 } from '../../../src/base/pattern/re2.js'
import { RE2_PATTERNS, RE2_SEARCHES } from '../../cases/re2-tests.js'
import { randomNonsense } from '../../support/patterns.js'
import { mulberry32, oneOf, type Random } from '../../support/random.js'
import { FLAG_SETS, randomRe2Pattern, randomText } from '../../support/re2-patterns.js'
import { partOf, runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const TIMEOUT_MS = 600_000
const TEXTS = 4
const MOST_MATCHES = 1000
const seed = testSeed()

function compiled(create: CreateRe2, pattern: string, flags: string): Re2 | 'refused' {
  try {
    return create(toRe2Syntax(pattern), flags)
  } catch {
    return 'refused'
  }
}

/** Everything that a search returns, as plain values. */
function seen(re2: Re2, text: string | Buffer): unknown {
  const groups = (match: RegExpExecArray | BytesMatch | null) =>
    match === null ? null : [match.index, ...Array.from(match as ArrayLike<unknown>, String), { ...named(match) }]
  re2.lastIndex = 0
  const isFound = re2.test(text)
  const end = re2.lastIndex
  re2.lastIndex = 0
  return [isFound, end, groups(re2.exec(text as string)), re2.lastIndex]
}

function named(match: unknown): Record<string, string> {
  const { groups = {} } = match as { groups?: object }
  return Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, String(group)]))
}

/** Compares as texts first: `expect` takes a hundred times as long. */
function expectSame(found: unknown, expected: unknown, about: () => string): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found, about()).toEqual(expected)
}

/** The places of all matches of a pattern with the flag `g`. */
function all(re2: Re2, text: string | Buffer): unknown {
  const matches: unknown[] = []
  const widthAt = (at: number) =>
    typeof text === 'string'
      ? (text.codePointAt(at) ?? 0) > 0xffff
        ? 2
        : 1
      : Buffer.from(String.fromCodePoint(text.toString('utf8', at, at + 4).codePointAt(0) ?? 0)).length
  for (let at = 0; at <= text.length && matches.length < MOST_MATCHES; ) {
    re2.lastIndex = at
    if (!re2.test(text)) break
    const end = re2.lastIndex
    re2.lastIndex = at
    const { index, length, ...match } = re2.exec(text as string)!
    matches.push([index, end, ...Array.from({ length, ...match }, String)])
    at = end > at ? end : at + widthAt(at)
  }
  return matches
}

function expectEqual(pattern: string, flags: string, texts: readonly string[]): boolean {
  const native = compiled(createNativeRe2!, pattern, flags)
  const javaScript = compiled(createJavaScriptRe2, pattern, flags)
  const about = `${JSON.stringify(pattern)} with "${flags}", seed ${seed}`
  if (native === 'refused' || javaScript === 'refused') {
    expect(javaScript, about).toBe(native)
    return false
  }
  expect([javaScript.source, javaScript.internalSource], about).toEqual([native.source, native.internalSource])
  for (const text of texts) {
    const where = () => `${about} in ${JSON.stringify(text)}`
    for (const searched of [text, Buffer.from(text)]) {
      expectSame(seen(javaScript, searched), seen(native, searched), where)
      if (flags.includes('g')) expectSame(all(javaScript, searched), all(native, searched), where)
    }
  }
  return true
}

const textsFor = (random: Random) => ['', ...Array.from({ length: TEXTS }, () => randomText(random))]

/** Without re2 there is nothing to compare. */
const compare = createNativeRe2 === undefined ? () => it('are not compared without re2', () => {}) : compareEngines

describe('both engines', { timeout: TIMEOUT_MS }, compare)

function compareEngines(): void {
  it(`take the same random patterns, and find the same, seed ${seed}`, () => {
    const random = mulberry32(seed)
    let taken = 0
    const count = runs(10_000)
    for (let i = 0; i < count; i++) {
      const flags = oneOf(random, FLAG_SETS)
      if (expectEqual(randomRe2Pattern(random), flags, textsFor(random))) taken++
    }
    expect(taken).toBeGreaterThan(count / 2)
  })

  it(`refuse the same nonsense, seed ${seed}`, () => {
    const random = mulberry32(seed)
    for (let i = 0; i < runs(30_000); i++) {
      expectEqual(randomNonsense(random), oneOf(random, FLAG_SETS), [randomText(random)])
    }
  })

  it('agree about the patterns and texts of RE2’s own tests', () => {
    const texts = [
      '',
      'a',
      'aaa',
      'abc',
      'AbC-09_\n',
      'κόσμος ſK',
      ...RE2_SEARCHES.slice(0, 10).flatMap(([, ...own]) => own),
    ]
    for (const flags of partOf(FLAG_SETS, 3, 0)) {
      for (const [pattern, ...own] of RE2_SEARCHES) expectEqual(pattern, flags, own)
      for (const pattern of RE2_PATTERNS) expectEqual(pattern, flags, texts)
    }
  })

  it.each([
    ...[
      '(|a)*',
      '\\b(?:|..+?)*',
      '(?:a??)+',
      '\\B',
      'a*\\B',
      '\\C',
      '(?<é>a)',
      '\ud800',
      '\\p{Cn}',
      '\\p{Garay}',
      '[[:word:]+\\p{Lm}',
      '[a\\pL',
      '[[:]a:]',
      '[[:é]a[b:]',
    ],
  ])('refuse %j', (pattern) => {
    for (const create of [createNativeRe2!, createJavaScriptRe2]) expect(compiled(create, pattern, '')).toBe('refused')
  })

  it.each([
    ...['(\\w*)*\\W$', '(?:a|b|)*c', '(?:(a*)+)*b', '((a|)+b)*'],
    ...['(a*)*', '(?:a|b|)*', '(?:^|,)+a', '\\Ba', '(?:\\B|a)*', '(?i)[\\p{L}ɤ]', '\\pN', '(?i)[^\\pLu]', '(a|b|)*?c'],
    ...['[[:]', '[a[:]|é', '(?i)[^k[:]', '[\\[:]', '[\\\\[:]', '[[:é]', '[:]'],
  ])('take %j', (pattern) => {
    expect(expectEqual(pattern, 'g', ['', 'aab', ',a', 'ɤ\u{a7cb}1', 'éaéb', '[:k]\\'])).toBe(true)
  })
}
