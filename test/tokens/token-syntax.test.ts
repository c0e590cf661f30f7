import { describe, expect, it } from 'vitest'
import { parsePlainTokens, parseTokensVariable, unquote } from '../../src/tokens/token-syntax.js'

const file = (text: string) => () => parsePlainTokens(text, 'FILE')
const variable = (text: string) => () => parseTokensVariable(text, 'VARIABLE')
const usage = (message: string) => expect.objectContaining({ code: 'usage', message })

const JSON_TEXT = 'looks like JSON. Write only the token.'
const BLANK = 'holds white space or a non-ASCII character. Choose another.'
const EMPTY = 'is empty. Remove it, or write it out.'
const OTHER =
  'sets a variable that is not LOGWEIR_ACCESS_TOKENS, LOGWEIR_TOKEN or TOKEN. ' +
  'Write only the token on its line; put quotes around a token of that form.'
const TEMPLATE = 'is a placeholder that was not replaced. Write the token itself.'

describe('a file of plain tokens', () => {
  it.each<[string, string, string[]]>([
    ['a line', 'abc\n', ['abc']],
    ['no final line end', 'abc', ['abc']],
    ['several, with a comma in one', 'a\nb,c\n', ['a', 'b,c']],
    ['CRLF', 'a\r\nb\r\n', ['a', 'b']],
    ['CR', 'a\rb\r', ['a', 'b']],
    ['blanks and tabs around', ' a \t\n\tb\u00a0\n', ['a', 'b']],
    ['blank lines', '\n \n\t\r\na\n\n', ['a']],
    ['comments, indented and behind a token', '# ops\n  # dev\na # of vector\nb\t# of page\nc#d\n', ['a', 'b', 'c#d']],
    ['quotes', `"a"\n'b'\n "c" # ops\n'd"e'\n`, ['a', 'b', 'c', 'd"e']],
    ['a quote that does not end', `"a\nb'\n"\n`, ['"a', "b'", '"']],
    ['what looks like a variable, in quotes', '"PORT=4000"\n', ['PORT=4000']],
    ['one pair of quotes in another', `'"a"'\n`, ['"a"']],
    ['LOGWEIR_ACCESS_TOKENS', 'LOGWEIR_ACCESS_TOKENS=a,b\n', ['a', 'b']],
    ['exported variables', `export LOGWEIR_ACCESS_TOKENS='a, b' # ops\nexport TOKEN="c,d"\n`, ['a', 'b', 'c,d']],
    ['variables in any case, with blanks', 'token = a\nLogweir_Token= b\n', ['a', 'b']],
    [
      'Base64 and Base32 with padding',
      'QUJDREVG=\nQUI==\nMZXW6===\na_b=\nkey=abc\n',
      ['QUJDREVG=', 'QUI==', 'MZXW6===', 'a_b=', 'key=abc'],
    ],
  ])('is read with %s', (_, text, tokens) => {
    expect(file(text)()).toEqual(tokens)
  })

  it.each<[string, string, string]>([
    ['two words', 'a\ntwo words\n', `FILE: line 2 ${BLANK}`],
    ['a blank in quotes', '"a b"\n', `FILE: line 1 ${BLANK}`],
    ['a comment in quotes that do not end', '"a # b\n', `FILE: line 1 ${BLANK}`],
    ['a NUL', 'a\0\n', `FILE: line 1 ${BLANK}`],
    ['a character beyond ASCII', 'caf\u00e9\n', `FILE: line 1 ${BLANK}`],
    ['bytes that are not UTF-8', 'a\ufffd\n', `FILE: line 1 ${BLANK}`],
    ['empty quotes', 'a\n""\n', `FILE: line 2 ${EMPTY}`],
    ['blanks in quotes', `' '\n`, `FILE: line 1 ${EMPTY}`],
    ['an empty variable', 'LOGWEIR_ACCESS_TOKENS=\n', `FILE: line 1: token 1 ${EMPTY}`],
    ['an empty variable in quotes', 'export TOKEN=""\n', `FILE: line 1: token 1 ${EMPTY}`],
    ['an empty place in a variable', 'LOGWEIR_ACCESS_TOKENS=a,,b\n', `FILE: line 1: token 2 ${EMPTY}`],
    ['another variable', 'LOGWEIR_TOKEN=a\nPORT=4000\n', `FILE: line 2 ${OTHER}`],
    ['another exported variable', 'export port=4000\n', `FILE: line 1 ${OTHER}`],
    ['another variable that is empty', 'API_KEY=\n', `FILE: line 1 ${OTHER}`],
    ['another variable with blanks', 'password = secret\n', `FILE: line 1 ${OTHER}`],
    ['a placeholder', `\${LOGWEIR_TOKEN}\n`, `FILE: line 1 ${TEMPLATE}`],
    ['a list in JSON', '["a"]\n', `FILE: line 1 ${JSON_TEXT}`],
    ['a list in JSON over lines', '[\n  "a",\n  "b"\n]\n', `FILE: line 1 ${JSON_TEXT}`],
    ['a placeholder in a variable', `TOKEN="\${SECRET:-}"\n`, `FILE: line 1: token 1 ${TEMPLATE}`],
  ])('is refused with %s, by line and without telling the token', (_, text, message) => {
    expect(file(text)).toThrow(usage(message))
  })

  it.each(['', '\n', ' \t\r\n \n', '# none\n', '\ufeff'])('is refused without any token: %j', (text) => {
    expect(file(text)).toThrow(
      expect.objectContaining({
        code: 'tokens_unavailable',
        message: 'FILE: holds no token. Write one on a line of its own.',
      }),
    )
  })
})

describe('a variable of tokens', () => {
  it.each<[string, string, string[]]>([
    ['commas', 'a,b', ['a', 'b']],
    ['blanks around', ' a , b\t,c ', ['a', 'b', 'c']],
    ['a line end, as of Base64 of echo', 'a\n', ['a']],
    ['CRLF', 'a,b\r\n', ['a', 'b']],
    ['lines instead of commas, as $(cat FILE) gives', 'a\r\nb\n\nc', ['a', 'b', 'c']],
    ['commas and lines', 'a,\n  b\n', ['a', 'b']],
    ['quotes around all, as docker --env-file leaves them', '"a,b"', ['a', 'b']],
    ['quotes around each', `'a', "b"`, ['a', 'b']],
    ['a byte order mark', '\ufeffa', ['a']],
    ['a quote inside', `a"b,'c,[d,{e}`, ['a"b', "'c", '[d', '{e}']],
    ['what begins with a number sign or has an equals sign', '#a,PORT=4000', ['#a', 'PORT=4000']],
  ])('is read with %s', (_, text, tokens) => {
    expect(variable(text)()).toEqual(tokens)
  })

  it.each<[string, string, string]>([
    ['nothing', '', `VARIABLE: token 1 ${EMPTY}`],
    ['blanks', ' \r\n', `VARIABLE: token 1 ${EMPTY}`],
    ['empty quotes', '""', `VARIABLE: token 1 ${EMPTY}`],
    ['an empty place', 'a,,b', `VARIABLE: token 2 ${EMPTY}`],
    ['a comma at the end', 'a,', `VARIABLE: token 2 ${EMPTY}`],
    ['empty quotes among others', 'a,""', `VARIABLE: token 2 ${EMPTY}`],
    ['two words', 'a,b c', `VARIABLE: token 2 ${BLANK}`],
    ['JSON, as of AWS Secrets Manager', '{"enabled":true,"token":"a"}', `VARIABLE: token 1 ${JSON_TEXT}`],
    ['a comment', '# ops\na', `VARIABLE: token 1 ${BLANK}`],
    ['a placeholder', `\${SECRET}`, `VARIABLE: token 1 ${TEMPLATE}`],
  ])('is refused with %s, without telling the token', (_, text, message) => {
    expect(variable(text)).toThrow(usage(message))
  })
})

it.each([
  ['a', 'a'],
  [' "a" ', 'a'],
  ["'a'\n", 'a'],
  ['"', '"'],
  ['"a', '"a'],
  ['"a"b"', '"a"b"'],
  ['""', ''],
])('%j without quotes is %j', (text, bare) => expect(unquote(text)).toBe(bare))
