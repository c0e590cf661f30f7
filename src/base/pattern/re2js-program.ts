import { RE2JS } from 're2js'
import { withRe2Classes } from './re2-classes.js'

/** Operations of re2js's programs. */
const FAIL = 5
const MATCH = 6
const ALTERNATIVE = 1
const EMPTY_WIDTH = 4
const FIRST_RUNE = 8
/** The conditions `\b` and `\B`. */
const WORD_BOUNDARY = 16
const NO_WORD_BOUNDARY = 32

interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
}
interface Program {
  readonly inst: readonly Instruction[]
  readonly start: number
}

/** re2js's words for the faults of patterns, and RE2's. */
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

/** Compiles a pattern in RE2's spelling. Throws RE2's reason if the pattern is not valid. */
export function compileForRe2js(source: string, flags: string): RE2JS {
  const ignoresCase = flags.includes('i')
  const options = (ignoresCase ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes('s') ? RE2JS.DOTALL : 0)
  try {
    return RE2JS.compile(withRe2Classes(source, ignoresCase), options)
  } catch (error) {
    const message = (error as Error).message.replace('error parsing regexp: ', '').replaceAll('`', '')
    const [reason] = REASONS.filter(([theirs]) => message.startsWith(theirs))
    throw new Error(reason === undefined ? message : reason[1] + message.slice(reason[0].length))
  }
}

/** Throws if RE2 finds other matches of a compiled pattern than re2js. */
export function checkForRe2js(compiled: RE2JS): void {
  const program: Program = compiled.re2().prog
  if (findsEmptyText(program, NO_WORD_BOUNDARY) && !findsEmptyText(program, WORD_BOUNDARY)) throw new Error(WITHIN)
  if (program.inst.some((_, loop) => prefersEmptyText(program, loop))) throw new Error(EMPTY_FIRST)
}

const WITHIN =
  'it matches the empty text at \\B, which RE2 also finds within a character; write what is before or behind the place'
const EMPTY_FIRST =
  'it repeats a part that matches the empty text first, as (|a)* or (a??)*; write the empty alternative last, or ' +
  'leave it out'

/**
 * Whether a program matches the empty text at a place where only one condition is true. Without the condition, a match
 * is found at the start of each character, and none within a character.
 */
function findsEmptyText({ inst, start }: Program, condition: number): boolean {
  const seen = new Set<number>()
  const waiting = [start]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const { op, out, arg } = inst[at]
    if (op === MATCH) return true
    if (op === FAIL || op >= FIRST_RUNE || (op === EMPTY_WIDTH && (arg & ~condition) !== 0)) continue
    waiting.push(out)
    if (op === ALTERNATIVE) waiting.push(arg)
  }
  return false
}

/**
 * Whether an instruction is a loop with a body that first tries the empty text, and a character after that. Perl leaves
 * such a loop without a character; RE2 does so or not, depending on the part before the loop. A body is compiled before
 * its loop, and the part that follows after the loop, so that the numbers of instructions tell them apart.
 */
function prefersEmptyText({ inst }: Program, loop: number): boolean {
  if (inst[loop].op !== ALTERNATIVE) return false
  return [inst[loop].out, inst[loop].arg].some((body) => {
    const seen = new Set<number>()
    const waiting = [body]
    let isBack = false
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (at === loop) isBack = true
      if (at >= loop || seen.has(at)) continue
      seen.add(at)
      const { op, out, arg } = inst[at]
      if (op >= FIRST_RUNE && isBack) return true
      if (op === FAIL || op === MATCH || op >= FIRST_RUNE || op === EMPTY_WIDTH) continue
      if (op === ALTERNATIVE) waiting.push(arg)
      waiting.push(out)
    }
    return false
  })
}
