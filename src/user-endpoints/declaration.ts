import { LogweirError } from '../base/errors.js'
import { didYouMean } from '../base/text/nearest.js'
import type { Moment } from '../base/time/moment.js'
import {
  exactTimestamp,
  number,
  optionalPattern,
  optionalText,
  type Param,
  required,
  requiredWord,
  withDefault,
  word,
} from '../endpoints/params.js'
import { lineError } from '../front-matter/place-error.js'
import { type Scalar, Timestamp } from '../plan/values/values.js'

/** A parameter that a `.sql` file declares. */
export interface Declaration {
  param: Param<unknown>
  /** Whether the parameter is declared as `text, required`. */
  isRequiredText: boolean
  /** Counted from 1. */
  line: number
  /** Converts a value that `param` has read to SQL. */
  scalarOf(value: unknown): Scalar
}

/** The types, each with a description of the values. */
const DESCRIPTIONS = {
  text: 'any text',
  word: '',
  number: 'a number',
  timestamp: 'an ISO 8601 time',
  pattern: 'an RE2 pattern',
}
type Type = keyof typeof DESCRIPTIONS
const TYPES = Object.keys(DESCRIPTIONS) as Type[]

/** A declaration, as written: `word 1day|7day, otherwise 1day`. */
interface ParsedDeclaration {
  type: Type
  words: readonly string[]
  isRequired: boolean
  /** The text of the default. */
  otherwise: string | undefined
}

const OTHERWISE = /^otherwise\s+(.+)$/
const QUOTED = /^(["'`]).*\1$/

/**
 * Reads the declaration of a parameter, such as `text, required`. Throws `usage`. The message ends with ` (line N)`.
 */
export function readDeclaration(name: string, declared: string, line: number): Declaration {
  const fail: Fail = (problem) => {
    throw lineError(`the parameter ${name} ${problem}`, line)
  }
  const parsed = parseDeclaration(declared, fail)
  const param = paramOf(parsed)
  checkDefault(parsed, param, fail)
  const { type, isRequired } = parsed
  return { param, isRequiredText: type === 'text' && isRequired, line, scalarOf: SCALAR_OF[type] }
}

type Fail = (problem: string) => never

function parseDeclaration(declared: string, fail: Fail): ParsedDeclaration {
  const comma = `${declared},`.indexOf(',')
  const [written = '', ...others] = declared.slice(0, comma).trim().split(/\s+/)
  const list = others.join(' ')
  const option = declared.slice(comma + 1).trim()
  const type = TYPES.find((one) => one === written)
  if (type === undefined) return fail(`has an unknown type "${written}". ${didYouMean(written, TYPES)}`)
  const otherwise = OTHERWISE.exec(option)?.[1]
  if (comma < declared.length && option !== 'required' && otherwise === undefined)
    fail(`has "${option}" behind its type. Write "required", or "otherwise" and a value`)
  if (type !== 'word' && list !== '') fail(`has "${list}" behind its type without a comma: write "${type}, ${list}"`)
  return { type, words: type === 'word' ? readWords(list, fail) : [], isRequired: option === 'required', otherwise }
}

function readWords(list: string, fail: Fail): string[] {
  const words = list.split('|').map((one) => one.trim())
  if (words.includes('') || new Set(words).size < words.length) fail('lists no different words: write "word one|two"')
  return words
}

function checkDefault({ type, words, otherwise }: ParsedDeclaration, param: Param<unknown>, fail: Fail): void {
  if (otherwise === undefined) return
  if (QUOTED.test(otherwise)) fail(`has a default in quotes: write "otherwise ${otherwise.slice(1, -1)}"`)
  if (type === 'word' && !words.includes(otherwise)) fail(`has the default ${otherwise}, which is none of its words`)
  try {
    param.read(otherwise, 'otherwise')
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    fail(`does not accept its default ${otherwise}: it is not ${DESCRIPTIONS[type]}`)
  }
}

const OPTIONAL = { text: optionalText, number, timestamp: exactTimestamp, pattern: optionalPattern }

function paramOf({ type, words, isRequired, otherwise }: ParsedDeclaration): Param<unknown> {
  if (type === 'word') return isRequired ? requiredWord(words) : wordOf(words, otherwise)
  const description = DESCRIPTIONS[type]
  if (isRequired) return required<unknown>(OPTIONAL[type](description))
  const param: Param<unknown> = OPTIONAL[type](`${description}; absent: ${otherwise ?? 'null'}`)
  return otherwise === undefined ? param : withDefault(param, otherwise)
}

function wordOf(words: readonly string[], otherwise: string | undefined): Param<unknown> {
  const table = Object.fromEntries(words.map((one) => [one, true]))
  const description = `one of ${words.join(', ')}; anything else: ${otherwise ?? 'null'}`
  return { ...word(table, otherwise), description }
}

const plain = (value: unknown): Scalar => (value as string | number | undefined) ?? null

const SCALAR_OF: Readonly<Record<Type, Declaration['scalarOf']>> = {
  text: plain,
  word: plain,
  number: plain,
  pattern: plain,
  timestamp: (value) => (value === undefined ? null : new Timestamp(value as Moment)),
}
