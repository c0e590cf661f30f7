import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compilePattern } from '../../../src/base/pattern.js'
import { ENDPOINTS } from '../../../src/endpoints/index.js'
import { shapeOf } from '../../../src/engine/clickhouse/shape.js'
import { exactSumsQuery, groupsQuery, rowsQuery } from '../../../src/engine/clickhouse/sql.js'

const RUNS = 10_000
const NOW_US = Date.UTC(2026, 10, 20) * 1000
const LOCATION = { database: 'logweir' }

/** Text that has escaped from SQL literals before: quotes, backslashes, comments, NUL, and lookalikes of these. */
const arbitraryText = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        "'",
        '"',
        '`',
        '\\',
        '\0',
        '--',
        '/*',
        '*/',
        ';',
        ')',
        '(',
        '\n',
        '\u2019',
        '\uff07',
        '\ud83d\ude00',
        'unhex',
        ' OR 1=1 ',
        '{x:String}',
        '%27',
        '\\x27',
        '?',
        '$1',
        '@',
        '\u202e',
      ),
      { minLength: 1, maxLength: 12, size: 'max' },
    )
    .map((pieces) => pieces.join('')),
)

/** Returns the statements of an endpoint with these parameters. */
function statements(endpoint: string, params: Record<string, string>): string[] {
  const { call } = ENDPOINTS.find(({ name }) => name === endpoint)!
  const shape = shapeOf(call(new URLSearchParams(params)).plan(NOW_US))!
  if (shape.kind === 'rows') return [rowsQuery(shape, LOCATION)]
  return [groupsQuery(shape, LOCATION), exactSumsQuery(shape, 'execution_time_ms', LOCATION)]
}

/** Removes the texts, which are runs of hex digits, from a statement. */
const shapeOnly = (sql: string) => sql.replace(/unhex\('[0-9a-f]*'\)/g, 'TEXT')

it('no project, function or pattern changes the shape of a statement', () => {
  const shapesOf = (endpoint: string, ...samples: Record<string, string>[]) =>
    new Set(samples.flatMap((params) => statements(endpoint, params).map(shapeOnly)))
  const logs = shapesOf('logs.all', { project: 'a' })
  const stats = shapesOf('functions.invocation-stats', { project: 'a', function_id: 'b' })
  // A pattern that is a literal, one that contains a literal, and one without.
  const counts = shapesOf(
    'usage.api-counts',
    ...['a', 'ab+', '[ab]'].map((project) => ({ project, interval: 'daily' })),
  )
  let patterns = 0
  fc.assert(
    fc.property(arbitraryText, arbitraryText, (one, other) => {
      for (const sql of statements('logs.all', { project: one })) expect(logs).toContain(shapeOnly(sql))
      for (const sql of statements('functions.invocation-stats', { project: one, function_id: other })) {
        expect(stats).toContain(shapeOnly(sql))
      }
      if (!isPattern(one)) return
      patterns++
      for (const sql of statements('usage.api-counts', { project: one, interval: 'daily' })) {
        expect(counts).toContain(shapeOnly(sql))
      }
    }),
    { numRuns: RUNS },
  )
  expect(patterns).toBeGreaterThan(RUNS / 10)
}, 120_000)

function isPattern(text: string): boolean {
  try {
    compilePattern(text)
    return true
  } catch {
    return false
  }
}
