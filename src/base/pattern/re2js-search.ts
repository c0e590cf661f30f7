import { MatcherInput, RE2JS } from 're2js'
import { threadCpuMs } from '../process/thread-cpu.js'
import { tooSlow } from './too-slow.js'

/** A text, or the UTF-8 of a text. */
type Searched = string | Buffer
/** re2js's own objects: the package describes few of their types. */
type Program = ReturnType<RE2JS['re2']>
type Automaton = Program['dfa']
/** The view of a text that re2js's engines read. */
type Input = unknown

/** A state of the automaton. */
interface State {
  /** The states that follow, by the class of the next character. */
  next?: readonly (State | undefined)[]
  isMatch: boolean
}

/** Starts and ends of the match and of the groups, in turn. -1 for a group that is not taken. */
export type Places = readonly number[]

const UNANCHORED = 0
const END_TEXT = -1
const LAST_LATIN = 0xff
const ASCII_END = 0x80
const FIRST_SURROGATE = 0xd800
const LAST_UNIT = 0xffff
const NEWLINE = 0x0a
const ALTERNATIVE = 1
const CAPTURE = 3
const EMPTY_WIDTH = 4
const NOTHING = 7
const RUNE = 8
const RUNE_ANY_NOT_NL = 11
/** The type of a filter of several texts, of which a match contains one. */
const ANY_OF = 3
/** The most bytes of the states of an automaton: the more, the longer a search that needs ever new states. */
const AUTOMATON_BYTES = 2 ** 20
/**
 * Steps, which are instructions times characters, that the slow engines execute within some 15 ms in the worst case.
 * Measured on 2026-11-29 with two cores of an Intel Xeon: up to 200 ns for a step.
 */
export const RE2JS_STEPS = 75_000
/** CPU time of the slow engines for beginnings of a text. */
const LOCATE_MS = 10
/** CPU time of a search with the automaton. */
const AUTOMATON_MS = 15
/** Steps that the automaton has not followed before, or units of text, between two looks at the clock. */
const TIMED_STEPS = 8
const TIMED_UNITS = 2 ** 16
/** The automaton has given up: too many states. */
const UNKNOWN = -2
const NOWHERE = -1

/** Finds the matches of a pattern by means of re2js. */
export interface Re2jsSearch {
  /** Whether the pattern matches somewhere from a place on. The text before the place counts for `^` and `\b`. */
  isFound(text: Searched, from: number): boolean
  /** Returns where the match ends that ends first, of those from a place on. -1 if there is none. */
  endFrom(text: Searched, from: number): number
  /** Returns the first match from a place on, with the first `groups` groups. Undefined if there is none. */
  find(text: Searched, from: number, groups: number): Places | undefined
}

/**
 * Prepares the search for a compiled pattern. re2js would find the place of a match with the slow engines, which also
 * find groups, and reads all the text up to the match with them. So the automaton finds an end of a match first, and
 * the slow engines read only the line if all matches are within a line. The search throws `invalid_pattern` rather than
 * have them read for too long.
 */
export function createRe2jsSearch(compiled: RE2JS): Re2jsSearch {
  const program = compiled.re2()
  const isLiteral = program.prefixComplete && program.numSubexp === 0
  const staysInLine = !matchesNewline(program)
  // Alternative texts are no quicker to find than the pattern itself.
  const hasLiteral = program.prefilter !== null && program.prefilter.type !== ANY_OF
  let automaton: Automaton | undefined
  const endFrom = (text: Searched, from: number): number => {
    automaton ??= smallAutomaton(program)
    const input = inputOf(text)
    if (hasLiteral && !program.prefilter.eval(input, from)) return NOWHERE
    return typeof text === 'string' ? endInText(automaton, input, text, from) : endInBytes(automaton, input, text, from)
  }
  const size: number = program.prog.inst.length
  const literal = Buffer.from(program.prefix ?? '')
  const locate = (text: Searched, from: number, groups: number): Places | undefined => {
    if (isLiteral) {
      const { length } = typeof text === 'string' ? program.prefix : literal
      const at = typeof text === 'string' ? text.indexOf(program.prefix, from) : text.indexOf(literal, from)
      return at < 0 ? undefined : [at, at + length]
    }
    const input = typeof text === 'string' ? MatcherInput.utf16(text) : MatcherInput.utf8(text)
    const readTo = (end: number) => program.matchMachineInput(input, from, end, UNANCHORED, groups + 1)[1]
    if (program.onepass === null) checkTime(text, from, Math.ceil(RE2JS_STEPS / size), readTo)
    return (readTo(text.length) as Places | null) ?? undefined
  }
  return {
    isFound(text, from) {
      if (isLiteral || program.onepass !== null) return locate(text, from, -1) !== undefined
      const end = endFrom(text, from)
      return end === UNKNOWN ? locate(text, from, 0) !== undefined : end >= 0
    },
    endFrom(text, from) {
      if (from > text.length) return NOWHERE
      if (isLiteral || program.onepass !== null) return locate(text, from, 0)?.[1] ?? NOWHERE
      const end = endFrom(text, from)
      return end === UNKNOWN ? (locate(text, from, 0)?.[1] ?? NOWHERE) : end
    },
    find(text, from, groups) {
      if (isLiteral || program.onepass !== null) return locate(text, from, groups)
      const end = endFrom(text, from)
      if (end === NOWHERE) return undefined
      if (end === UNKNOWN || !staysInLine) return locate(text, from, groups)
      // No match that starts before this line ends at or before `end`, and each match ends at a newline at the latest.
      const start = end === 0 ? from : Math.max(from, text.lastIndexOf('\n', end - 1) + 1)
      const newline = text.indexOf('\n', end)
      const stop = newline < 0 ? text.length : newline + 1
      if (start === 0 && stop === text.length) return locate(text, from, groups)
      // The character before the line stays, so that the line does not look like the start of the text.
      const skipped = Math.max(0, start - 1)
      const part = typeof text === 'string' ? text.slice(skipped, stop) : text.subarray(skipped, stop)
      return locate(part, start - skipped, groups)?.map((place) => (place < 0 ? place : place + skipped))
    },
  }
}

/**
 * Throws if the slow engines take too long to read a text from a place on. They cannot be interrupted. So they read
 * beginnings first, each longer by a stretch that they read in time in the worst case.
 */
function checkTime(text: Searched, from: number, stretch: number, readTo: (end: number) => unknown): void {
  if (text.length - from <= stretch) return
  const startedMs = threadCpuMs()
  for (let end = from + stretch; end < text.length; end += stretch) {
    readTo(end)
    if (threadCpuMs() - startedMs > LOCATE_MS) throw tooSlow(text)
  }
}

function matchesNewline({ prog }: Program): boolean {
  return prog.inst.some(
    (instruction: { op: number; matchRune(rune: number): boolean }) =>
      instruction.op >= RUNE &&
      instruction.op <= RUNE_ANY_NOT_NL &&
      instruction.op !== RUNE_ANY_NOT_NL &&
      (instruction.op > RUNE + 1 || instruction.matchRune(NEWLINE)),
  )
}

function smallAutomaton(program: Program): Automaton {
  const { dfa } = program
  dfa.closure = closureOf(program.prog)
  dfa.stateBudget = AUTOMATON_BYTES
  dfa.memBudget = AUTOMATON_BYTES
  return dfa
}

/** The instructions that the automaton can be in after others: they read a character or test a place. */
type Closure = Automaton['closure']

/**
 * Returns a replacement of re2js's own function, which finds the instructions that follow some others without reading
 * a character. It takes a fifth of the time, and leaves out instructions that only lead to others.
 */
function closureOf({ inst }: Program['prog']): Closure {
  const seen = new Uint8Array(inst.length)
  const stack: number[] = []
  return (pcs: readonly number[], flag: number) => {
    const visited: number[] = []
    const kept: number[] = []
    let needflags = 0
    for (let i = pcs.length - 1; i >= 0; i--) stack.push(pcs[i])
    for (let pc = stack.pop(); pc !== undefined; pc = stack.pop()) {
      if (pc === 0 || seen[pc] === 1) continue
      seen[pc] = 1
      visited.push(pc)
      const { op, arg, out } = inst[pc]
      if (op === ALTERNATIVE) stack.push(arg, out)
      else if (op === NOTHING || op === CAPTURE) stack.push(out)
      else {
        kept.push(pc)
        if (op !== EMPTY_WIDTH) continue
        needflags |= arg
        if ((arg & ~flag) === 0) stack.push(out)
      }
    }
    for (const pc of visited) seen[pc] = 0
    return { pcs: kept.length < 2 ? kept : Array.from(Int32Array.from(kept).sort()), needflags }
  }
}

/** Returns re2js's view of a text. The package exports none, but passes one to its engine. */
function inputOf(text: Searched): Input {
  let input: Input | undefined
  const executeEngine = (passed: Input) => {
    input = passed
    return null
  }
  const matcherInput = typeof text === 'string' ? MatcherInput.utf16(text) : MatcherInput.utf8(text)
  matchMachineInput.call({ executeEngine }, matcherInput, 0, text.length, UNANCHORED, 0)
  return input!
}
const matchMachineInput: (this: unknown, ...args: unknown[]) => unknown = RE2JS.compile('').re2().matchMachineInput

/** A search with an automaton: the memory of the automaton, and the clock. */
interface Run {
  automaton: Automaton
  text: Searched
  progress: { resetPos: number }
  newSteps: number
  /** The place at which to look at the clock again. */
  timedAt: number
  /** Negative before the first look at the clock. */
  startedMs: number
}

/** Follows a step that the automaton has not followed before. Throws if all these take too long. */
function newStep(run: Run, state: unknown, kind: number, rune: number, at: number): State | null {
  const { automaton, progress } = run
  if (++run.newSteps % TIMED_STEPS === 0) checkRun(run, at)
  return automaton.stepOrReset(state, kind, rune, UNANCHORED, at, progress)
}

/** Returns where the first match ends that ends before all others. Runs re2js's automaton over UTF-8. */
function endInBytes(automaton: Automaton, input: Input, bytes: Buffer, from: number): number {
  let state: State | null = automaton.start(input, from)
  if (state === null) return UNKNOWN
  const { latin1Class } = automaton
  const run = runOf(automaton, bytes, from)
  let at = from
  for (const end = bytes.length; at < end; ) {
    let rune = bytes[at]
    let width = 1
    if (rune >= ASCII_END) {
      width = rune < 0xe0 ? 2 : rune < 0xf0 ? 3 : 4
      rune &= 0xff >> (width + 1)
      for (let i = 1; i < width; i++) rune = (rune << 6) | (bytes[at + i] & 0x3f)
    }
    const kind = rune <= LAST_LATIN ? latin1Class[rune] : automaton.runeClass(rune)
    state = state.next?.[kind] ?? newStep(run, state, kind, rune, at)
    if (state === null) return UNKNOWN
    if (state.isMatch) return at
    at += width
    if (at >= run.timedAt) checkRun(run, at)
  }
  return endOfText(run, state, at)
}

/** The same over UTF-16. */
function endInText(automaton: Automaton, input: Input, text: string, from: number): number {
  let state: State | null = automaton.start(input, from)
  if (state === null) return UNKNOWN
  const { latin1Class } = automaton
  const run = runOf(automaton, text, from)
  let at = from
  for (const end = text.length; at < end; ) {
    let rune = text.charCodeAt(at)
    if (rune >= FIRST_SURROGATE) rune = text.codePointAt(at)!
    const kind = rune <= LAST_LATIN ? latin1Class[rune] : automaton.runeClass(rune)
    state = state.next?.[kind] ?? newStep(run, state, kind, rune, at)
    if (state === null) return UNKNOWN
    if (state.isMatch) return at
    at += rune > LAST_UNIT ? 2 : 1
    if (at >= run.timedAt) checkRun(run, at)
  }
  return endOfText(run, state, at)
}

/** Throws if a search takes too long, and sets the place of the next look at the clock. */
function checkRun(run: Run, at: number): void {
  if (run.startedMs < 0) run.startedMs = threadCpuMs()
  else if (threadCpuMs() - run.startedMs > AUTOMATON_MS) throw tooSlow(run.text)
  run.timedAt = at + TIMED_UNITS
}

const runOf = (automaton: Automaton, text: Searched, from: number): Run => ({
  automaton,
  text,
  progress: { resetPos: -1 },
  newSteps: 0,
  timedAt: from + TIMED_UNITS,
  startedMs: -1,
})

function endOfText(run: Run, last: State, at: number): number {
  const state = newStep(run, last, run.automaton.numClasses, END_TEXT, at)
  if (state === null) return UNKNOWN
  return state.isMatch ? at : NOWHERE
}
