import { describe, expect, test } from 'vitest'
import { hotColumns } from '../../../src/common/columns.js'
import { SOURCE_NAMES } from '../../../src/common/sources.js'
import {
  AGGREGATES,
  COLUMNS,
  DECLARED_FIELDS,
  FUNCTIONS,
  KEYWORDS,
  nameOfCall,
  RESERVED,
  SOURCES,
  TYPES,
  UNITS,
} from '../../../src/page/sql/words.js'
import { CAST_TYPES } from '../../../src/plan/functions/cast.js'
import { TIME_UNITS } from '../../../src/plan/values/times.js'
import { FUNCTION_NAMES } from '../../../src/sql/compile/functions.js'
import { SQL_AGGREGATES } from '../../../src/sql/parse/aggregate-names.js'
import { tokensOf } from '../../../src/sql/parse/lexer.js'
import { SQL_LIMITS } from '../../../src/sql/parse/limits.js'
import { RESERVED as COMPILER_RESERVED } from '../../../src/sql/parse/reserved.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { SQL_CASES } from '../../sql/cases/index.js'

const TEXTS = Object.values(SQL_CASES)
  .flat()
  .filter(({ rows }) => rows !== undefined)
  .map(({ sql }) => sql)

/** The words of a text in lower case, names in backticks aside. */
const wordsOf = (text: string) =>
  tokensOf(text, SQL_LIMITS)
    .filter(({ kind }) => kind === 'word')
    .map((token) => token.text)

const sorted = (names: Iterable<string>) => [...names].sort()

describe('the words of the editor are those of the compiler', () => {
  test('sources, columns and fields with columns of their own', () => {
    expect(SOURCES).toEqual(SOURCE_NAMES)
    for (const source of SOURCE_NAMES) {
      const fields = new Set(hotColumns(source).map(({ path }) => path.join('.')))
      expect([source, sorted(DECLARED_FIELDS[source] ?? [])]).toEqual([source, sorted(fields)])
    }
    expect(() => readSql(`select ${COLUMNS.join(', ')} from edge_logs`).plan({}, 0)).not.toThrow()
  })

  test('functions, aggregates, types, units and reserved words', () => {
    expect(sorted([...AGGREGATES, ...FUNCTIONS].map(nameOfCall))).toEqual(sorted(FUNCTION_NAMES))
    expect(sorted(AGGREGATES.map(nameOfCall))).toEqual(sorted(SQL_AGGREGATES))
    expect(sorted(TYPES)).toEqual(sorted(Object.keys(CAST_TYPES)))
    expect(sorted(UNITS)).toEqual(sorted(TIME_UNITS))
    expect(sorted(RESERVED)).toEqual(sorted(COMPILER_RESERVED))
  })

  test('keywords: every reserved word of a query that is accepted, and no word that none has', () => {
    const used = new Set(TEXTS.flatMap(wordsOf))
    // Words of the syntax that are also names.
    const others = KEYWORDS.filter((word) => !COMPILER_RESERVED.has(word))
    expect(sorted(others)).toEqual(['explain', 'first', 'ilike', 'last', 'offset', 'safe_offset'])
    expect(KEYWORDS.filter((word) => !used.has(word))).toEqual([])
    const functions = new Set(FUNCTION_NAMES)
    const missing = [...used].filter(
      (word) => COMPILER_RESERVED.has(word) && !KEYWORDS.includes(word) && !functions.has(word),
    )
    expect(missing).toEqual([])
  })
})
