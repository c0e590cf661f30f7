import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findTokens, keepToken, type TokenSettings } from '../src/tokens.js'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'logweir-tokens-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const find = (given: Partial<TokenSettings>) =>
  findTokens({ accessTokens: undefined, tokensFile: undefined, dataDir: undefined, ...given })

function fileOf(text: string): string {
  const path = join(dataDir, 'tokens.txt')
  writeFileSync(path, text)
  return path
}

const modeOf = (name: string) => statSync(join(dataDir, name)).mode & 0o777

describe('findTokens', () => {
  it('takes the tokens of the variable and of the file together', () => {
    const tokensFile = fileOf('# ops\r\nfile-one\n\n   \nfile,two\n')
    expect(find({ accessTokens: 'a,b' })).toEqual({ accepted: ['a', 'b'], made: undefined })
    expect(find({ tokensFile })).toEqual({ accepted: ['file-one', 'file,two'], made: undefined })
    expect(find({ accessTokens: 'a', tokensFile }).accepted).toEqual(['a', 'file-one', 'file,two'])
  })

  it.each([
    ['', 'LOGWEIR_ACCESS_TOKENS: token 1 is empty. Remove it, or write it out.'],
    ['a,,b', 'LOGWEIR_ACCESS_TOKENS: token 2 is empty. Remove it, or write it out.'],
    ['a,', 'LOGWEIR_ACCESS_TOKENS: token 2 is empty. Remove it, or write it out.'],
    ['a, b', 'LOGWEIR_ACCESS_TOKENS: token 2 holds white space or a character beyond ASCII. Choose another.'],
    ['a\tb', 'LOGWEIR_ACCESS_TOKENS: token 1 holds white space or a character beyond ASCII. Choose another.'],
    ['caf\u00e9', 'LOGWEIR_ACCESS_TOKENS: token 1 holds white space or a character beyond ASCII. Choose another.'],
  ])('refuses the variable %j without telling the token', (accessTokens, message) => {
    expect(() => find({ accessTokens })).toThrow(expect.objectContaining({ code: 'usage', message }))
  })

  it('refuses a file without a token, with a blank in one, or that is not there', () => {
    expect(() => find({ tokensFile: fileOf('# none\n') })).toThrow('holds no token. Write one on a line of its own.')
    expect(() => find({ tokensFile: fileOf('two words\n') })).toThrow('token 1 holds white space')
    expect(() => find({ tokensFile: join(dataDir, 'absent') })).toThrow(/^cannot read the tokens in .*ENOENT/)
  })

  it('makes a token of 32 random bytes where none is configured', () => {
    const { accepted, made } = find({})
    expect(made).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(accepted).toEqual([made])
    expect(find({}).made).not.toBe(made)
  })

  it('keeps a made token, for the owner only, and finds it again', () => {
    const { made } = find({ dataDir })
    keepToken(dataDir, made!)
    expect(readdirSync(dataDir)).toEqual(['token'])
    expect(modeOf('token')).toBe(0o600)
    expect(readFileSync(join(dataDir, 'token'), 'utf8')).toBe(`${made}\n`)
    expect(find({ dataDir })).toEqual({ accepted: [made], made: undefined })
    expect(find({ dataDir, accessTokens: 'a' }).accepted).toEqual(['a'])
  })

  it('closes a kept token to others', () => {
    keepToken(dataDir, 'kept')
    chmodSync(join(dataDir, 'token'), 0o644)
    expect(find({ dataDir }).accepted).toEqual(['kept'])
    expect(modeOf('token')).toBe(0o600)
  })

  it('refuses a kept token that is empty', () => {
    writeFileSync(join(dataDir, 'token'), '\n')
    expect(() => find({ dataDir })).toThrow(/token: token 1 is empty/)
  })
})
