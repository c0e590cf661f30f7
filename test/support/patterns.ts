import type { BadPattern } from '../cases/bad-patterns.js'
import { below, oneOf, type Random } from './random.js'

/** Bytes of the subjects that patterns are tried on. */
const SUBJECT_BYTES = 100 * 1024
/** The longest time that a pattern may take on a subject. */
export const PATTERN_MS = 50

const SAMPLES = 10

export const subjectOf = ({ pump, end }: Pick<BadPattern, 'pump' | 'end'>): string =>
  pump.repeat(Math.ceil(SUBJECT_BYTES / pump.length)) + end

const ATOMS = [
  'a',
  'b',
  'ab',
  '.',
  '[ab]',
  '[^a]',
  '\\w',
  '\\W',
  '\\d',
  '\\s',
  'a|b',
  'a|ab',
  '^',
  '$',
  '\\b',
  '/',
  'é',
]
const REPEATS = ['*', '+', '?', '*?', '+?', '??', '{2}', '{0,3}', '{1,}', '{2,5}']

/** A pattern of repetitions within repetitions. */
export function randomPattern(random: Random, depth = 2): string {
  const parts = Array.from({ length: 1 + below(random, 3) }, () => {
    const inner = depth === 0 || random() < 0.3 ? oneOf(random, ATOMS) : randomPattern(random, depth - 1)
    return random() < 0.7 ? `(?:${inner})${oneOf(random, REPEATS)}` : `(${inner})`
  })
  return parts.join(random() < 0.3 ? '|' : '')
}

const LETTERS = ['a', 'b', 'ab', '/', '0', ' ', '-', 'é']

/** A subject that repeats itself, or does not. */
export function randomSubject(random: Random): string {
  const piece = () => Array.from({ length: 1 + below(random, 6) }, () => oneOf(random, LETTERS)).join('')
  if (random() < 0.5) return subjectOf({ pump: piece(), end: '!' })
  return Array.from({ length: SUBJECT_BYTES / 2 }, () => oneOf(random, LETTERS))
    .join('')
    .slice(0, SUBJECT_BYTES)
}

const SYMBOLS = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '*',
  '+',
  '?',
  '|',
  '\\',
  '^',
  '$',
  '.',
  ':',
  '<',
  '>',
  '=',
  '!',
  '-',
  ',',
]
const MORE = [
  'P',
  'p',
  'Q',
  'E',
  'u',
  'c',
  'k',
  'x',
  '1',
  '9',
  'a',
  '\0',
  '\n',
  '\ud800',
  '\u2028',
  '😀',
  '(?',
  '{9',
  '\\p{',
]

/** A text that looks like a pattern, but mostly is not valid. */
export const randomNonsense = (random: Random): string =>
  Array.from({ length: below(random, 16) }, () => oneOf(random, random() < 0.7 ? SYMBOLS : MORE)).join('')

/** Returns the shortest of a few measured times, or the first that is short enough. */
export async function bestMs(work: () => unknown): Promise<number> {
  let bestMs = Number.POSITIVE_INFINITY
  for (let i = 0; i < SAMPLES && bestMs > PATTERN_MS; i++) {
    const startMs = performance.now()
    await work()
    bestMs = Math.min(bestMs, performance.now() - startMs)
  }
  return bestMs
}
