import { expect, it } from 'vitest'
import { compileLines } from '../../src/lines/execute/compile.js'
import { createLiteralFilter } from '../../src/lines/scan/literal-filter.js'
import { createBlockScanner } from '../../src/lines/scan/scan-block.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { fileMaker, NOW_US, rowsOf } from './ask.js'

const ROUNDS = runs(400)
const LINES = 40

const PARTS = ['a', 'tok', 'é', '/', '"', '\\', '1', 'e', '5', '.', ' ', '{', ',', ':', '[', '€', '\u2028', '😀', '\t']
const NUMBERS = ['1e5', '100000', '0.10', '-5E+2', '7', '1.0']

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

/** Spells a text in JSON. If `isEscaped`, with escapes where none are needed. */
function spelled(text: string, isEscaped: boolean, random: Random): string {
  if (!isEscaped) return JSON.stringify(text)
  const units = text.split('').map((unit) => {
    if (random() < 0.6) return JSON.stringify(unit).slice(1, -1)
    return unit === '/' ? '\\/' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return `"${units.join('')}"`
}

const randomText = (random: Random) => times(below(random, 8), () => oneOf(random, PARTS)).join('')

function randomValue(random: Random, depth: number): string {
  const kind = random()
  if (kind < 0.5 || depth === 2) return spelled(randomText(random), random() < 0.2, random)
  if (kind < 0.65) return oneOf(random, NUMBERS)
  if (kind < 0.75) return oneOf(random, ['true', 'false', 'null'])
  const space = oneOf(random, ['', ' '])
  const inner = times(below(random, 3), () => randomValue(random, depth + 1))
  if (kind < 0.88) return `[${space}${inner.join(`,${space}`)}]`
  return `{${inner.map((value, i) => `${space}"tok${i}":${space}${value}`).join(',')}}`
}

const inSql = (text: string) => `'${text.replace(/[\\']/g, '\\$&').replace('\t', '\\t')}'`
const likePart = (text: string) => text.replace(/[\\%_]/g, '\\$&')
const quoted = (text: string) => text.replace(/[\\^$.[\]{}()*+?|]/g, '\\$&')

/** The tests of a field with a literal, as SQL. */
const TESTS: readonly ((part: string) => string)[] = [
  (part) => `a like ${inSql(`%${likePart(part)}%`)}`,
  (part) => `a like ${inSql(`${likePart(part)}%`)}`,
  (part) => `starts_with(a, ${inSql(part)})`,
  (part) => `ends_with(a, ${inSql(part)})`,
  (part) => `regexp_contains(a, ${inSql(`x?${quoted(part)}`)})`,
  (part) => `a = ${inSql(part)}`,
]

/** A part of a value of a line, as the text of a field has it, or another text. */
function randomPart(lines: readonly string[], random: Random): string {
  if (random() < 0.3) return randomText(random)
  const { a } = JSON.parse(oneOf(random, lines)) as { a: unknown }
  const points = [...(typeof a === 'string' ? a : JSON.stringify(a))]
  const from = below(random, points.length)
  return points.slice(from, from + 1 + below(random, 6)).join('')
}

/** Returns how many lines the filter of a query leaves out. */
function leftOut(sql: string, lines: readonly string[]): number {
  const filter = createLiteralFilter(compileLines(sql, NOW_US).stage!)
  const block = createBlockScanner().scan(Buffer.from(lines.join('\n')))
  return filter === undefined ? 0 : block.rows - filter(block).rows
}

it('a search for a literal leaves out no line that passes', { timeout: 60_000 + ROUNDS * 300 }, async () => {
  const seed = testSeed()
  let rows = 0
  let left = 0
  for (let round = 0; round < ROUNDS; round++) {
    const random = mulberry32(seed + round)
    const lines = times(LINES, () => `{"n": 1, "a":${random() < 0.5 ? ' ' : ''}${randomValue(random, 0)}}`)
    const path = fileMaker()(lines.join('\n'))
    for (const test of TESTS) {
      const sql = `select line from lines where ${test(randomPart(lines, random))}`
      // Literals of OR are not searched for.
      const without = `${sql} or n = 2`
      expect(leftOut(without, lines)).toBe(0)
      const found = await rowsOf(sql, [path])
      expect(found, `seed ${seed + round}: ${sql}`).toEqual(await rowsOf(without, [path]))
      rows += found.length
      left += leftOut(sql, lines)
    }
  }
  expect(rows).toBeGreaterThan(10 * ROUNDS)
  expect(left).toBeGreaterThan(10 * ROUNDS)
})

const TOKEN = '{"a":"tok","n":"x"}'
const OTHERS = times(9, () => '{"a":"other","n":"x"}')

it.each([
  ['a literal', "a = 'tok'", 9],
  ['a literal behind a comparison', "n = 'x' and a = 'tok'", 9],
  ['a literal behind a condition that may fail', "cast(n as int64) > 1 and a = 'tok'", 0],
  ['a literal of a number', "a = '1e5'", 0],
  ['a literal in OR', "a = 'tok' or n = 'y'", 0],
  ['a negated test', "a != 'tok'", 0],
  ['a test without case', "a ilike '%tok%'", 0],
])('%s', (_, where, expected) => {
  expect(leftOut(`select line from lines where ${where}`, [TOKEN, ...OTHERS])).toBe(expected)
})

it('an error of an earlier condition is raised in a line without the literal of a later one', async () => {
  const path = fileMaker()([TOKEN, ...OTHERS].join('\n'))
  const where = "cast(n as int64) > 1 and a = 'none'"
  await expect(rowsOf(`select line from lines where ${where}`, [path])).rejects.toThrow('cannot be cast')
})
