import { describe, expect, test } from 'vitest'
import { RESERVED } from '../../../src/common/sql-words.js'
import { COLUMNS, KEYWORDS } from '../../../src/page/sql/words.js'
import { FUNCTION_NAMES } from '../../../src/sql/compile/functions.js'
import { tokensOf } from '../../../src/sql/parse/lexer.js'
import { SQL_LIMITS } from '../../../src/sql/parse/limits.js'
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
  test('columns', () => {
    expect(() => readSql(`select ${COLUMNS.join(', ')} from edge_logs`).plan({}, 0)).not.toThrow()
  })

  test('keywords: every reserved word of a query that is accepted, and no word that none has', () => {
    const used = new Set(TEXTS.flatMap(wordsOf))
    // Words of the syntax that are also names.
    const others = KEYWORDS.filter((word) => !RESERVED.has(word))
    expect(sorted(others)).toEqual(['explain', 'first', 'ilike', 'last', 'offset', 'safe_offset'])
    expect(KEYWORDS.filter((word) => !used.has(word))).toEqual([])
    const functions = new Set(FUNCTION_NAMES)
    const missing = [...used].filter((word) => RESERVED.has(word) && !KEYWORDS.includes(word) && !functions.has(word))
    expect(missing).toEqual([])
  })
})
