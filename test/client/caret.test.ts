import { describe, expect, it } from 'vitest'
import { excerptOf } from '../../src/client/caret.js'
import { widthOf } from '../../src/client/table/width.js'

const at = (line: number, column: number) => `There is no function "cout". (line ${line}, column ${column})`

describe('excerptOf', () => {
  it.each<[what: string, text: string, line: number, column: number, expected: string]>([
    ['the first column', 'selec 1', 1, 1, 'selec 1|^'],
    ['a later line', 'select id,\n  cout(*)\nfrom x', 2, 3, '  cout(*)|  ^'],
    ['a line that ends with CR and LF', 'select id,\r\n  cout(*)\r\nfrom x', 2, 3, '  cout(*)|  ^'],
    ['tabs, which become spaces', '\tselect\tcout(*)', 1, 9, ' select cout(*)|        ^'],
    ['wide letters', "select '日本' + x", 1, 13, "select '日本' + x|              ^"],
    ['an emoji, which is two units', "select '🙂' + x", 1, 13, "select '🙂' + x|            ^"],
    ['the second unit of an emoji', "select '🙂'", 1, 10, "select '🙂'|        ^"],
    ['a combining mark', "select 'e\u0301' + x", 1, 13, "select 'e\u0301' + x|           ^"],
    ['control characters', 'a \u001b[2J b', 1, 8, 'a \\u001b[2J b|            ^'],
    ['a mark that changes the direction of writing', 'a \u202e b', 1, 5, 'a \\u202e b|         ^'],
    ['the end of the text', 'select', 1, 7, 'select|      ^'],
    ['the end of a text that ends with a line break', 'select\n', 2, 1, '|^'],
    ['an empty text', '', 1, 1, '|^'],
    ['a column beyond the line', 'select', 1, 70, 'select|      ^'],
  ])('shows %s', (_, text, line, column, expected) => {
    expect(excerptOf(at(line, column), text)).toBe(`\n${expected.replace('|', '\n')}`)
  })

  it.each([
    ['has no place', 'No. (invalid_sql)'],
    ['has a place elsewhere', 'No (line 1, column 1).'],
    ['names a line that the text does not have', at(3, 1)],
    ['names line 0', at(0, 1)],
  ])('is empty if the message %s', (_, message) => {
    expect(excerptOf(message, 'select\n1')).toBe('')
  })

  const LONG = `${'a'.repeat(50)}X${'b'.repeat(50)}`

  it.each<[what: string, text: string, column: number, expected: string]>([
    ['in its middle', LONG, 51, '…aaaaaaaaaXbbbbbbbb…|          ^'],
    ['at its start', LONG, 1, 'aaaaaaaaaaaaaaaaaaa…|^'],
    ['near its start', LONG, 5, 'aaaaaaaaaaaaaaaaaaa…|    ^'],
    ['near its end', LONG, 100, '…bbbbbbbbbbbbbbbbbbb|                  ^'],
    ['at its end', LONG, 102, '…bbbbbbbbbbbbbbbbbb|                   ^'],
    ['of wide letters', '日'.repeat(40), 21, '…日日日日日日日日日…|         ^'],
    ['that just fits', 'a'.repeat(20), 20, 'aaaaaaaaaaaaaaaaaaaa|                   ^'],
    ['that just fits, without room for the caret', 'a'.repeat(20), 21, '…aaaaaaaaaaaaaaaaaa|                   ^'],
  ])('cuts a long line around a place %s', (_, text, column, expected) => {
    expect(excerptOf(at(1, column), text, 20)).toBe(`\n${expected.replace('|', '\n')}`)
  })

  it('is never wider than the terminal, and never narrower than 20 columns', () => {
    const text = 'a日🙂\t'.repeat(20)
    for (const columns of [1, 20, 21, 33]) {
      for (let column = 1; column <= text.length + 1; column++) {
        const [, line, caret] = excerptOf(at(1, column), text, columns).split('\n')
        expect(Math.max(widthOf(line!), widthOf(caret!))).toBeLessThanOrEqual(Math.max(columns, 20))
      }
    }
  })
})
