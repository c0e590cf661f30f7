import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { formatTokenEntries, type TokenEntry } from '../../src/tokens/entry.js'
import { loadTokens, type TokenSettings } from '../../src/tokens/load-tokens.js'
import { storeToken } from '../../src/tokens/stored-token.js'
import { digestOf } from '../../src/tokens/token-registry.js'
import { createFakeClock } from '../support/clock.js'
import { modeOf, temporaryFolder } from './folder.js'

const hashed = (token: string, more: Partial<TokenEntry> = {}): TokenEntry => ({
  id: digestOf(token).toString('hex').slice(0, 8),
  sha256: digestOf(token).toString('hex'),
  scopes: ['query', 'ingest'],
  created: '2026-11-20T10:00:00Z',
  ...more,
})

function start(given: Partial<TokenSettings> = {}, clock = createFakeClock()) {
  const logged: string[] = []
  const settings = { supabase: true, accessTokens: undefined, tokensFile: undefined, dataDir: undefined, ...given }
  const tokens = loadTokens(settings, { clock, log: (line) => logged.push(line) })
  onTestFinished(tokens.close)
  const access = (token: string) => tokens.accessOf(digestOf(token))
  /** Returns the valid tokens of `some`. */
  const valid = (...some: readonly string[]) => some.filter((token) => access(token) !== undefined)
  return { clock, logged, made: tokens.made, access, valid, close: tokens.close }
}

function place(text?: string | Buffer) {
  const dataDir = temporaryFolder()
  const tokensFile = join(dataDir, 'tokens.txt')
  if (text !== undefined) writeFileSync(tokensFile, text)
  return { dataDir, tokensFile }
}

describe('files that a killed process has left next to the tokens', () => {
  it('are deleted when a token is stored', () => {
    const { dataDir } = place()
    for (const name of ['token.new', 'token.17', 'tokens.txt', 'token.old']) writeFileSync(join(dataDir, name), 'x')
    storeToken(dataDir, 'abc')
    expect(readdirSync(dataDir).sort()).toEqual(['token', 'token.old', 'tokens.txt'])
    expect(readFileSync(join(dataDir, 'token'), 'utf8')).toBe('abc\n')
  })

  it('are deleted at the start, once their process must have died', () => {
    const { dataDir } = place()
    const unfinished = join(dataDir, 'tokens.json.new')
    writeFileSync(unfinished, '{')
    start({ dataDir })
    expect(readdirSync(dataDir)).toEqual(['tokens.json.new'])
    const then = new Date(Date.now() - 60_000)
    utimesSync(unfinished, then, then)
    start({ dataDir })
    expect(readdirSync(dataDir)).toEqual([])
  })
})

describe('the tokens that open', () => {
  it('are those of the variable and of the file together', () => {
    const { tokensFile } = place('# ops\r\nfile-one\n\n   \nfile,two\n')
    const all = ['a', 'b', 'file-one', 'file,two']
    expect(start({ accessTokens: 'a,b' }).valid(...all)).toEqual(['a', 'b'])
    expect(start({ tokensFile }).valid(...all)).toEqual(['file-one', 'file,two'])
    expect(start({ accessTokens: 'a', tokensFile }).valid(...all)).toEqual(['a', 'file-one', 'file,two'])
    expect(start({ tokensFile }).access('file-one')).toEqual({
      scopes: new Set(['query', 'ingest']),
      projects: undefined,
    })
  })

  it.each([
    ['', 'LOGWEIR_ACCESS_TOKENS: token 1 is empty. Remove it, or write it out.'],
    ['a,,b', 'LOGWEIR_ACCESS_TOKENS: token 2 is empty. Remove it, or write it out.'],
    ['a,', 'LOGWEIR_ACCESS_TOKENS: token 2 is empty. Remove it, or write it out.'],
    [' \n', 'LOGWEIR_ACCESS_TOKENS: token 1 is empty. Remove it, or write it out.'],
    ['a b', 'LOGWEIR_ACCESS_TOKENS: token 1 holds white space or a non-ASCII character. Choose another.'],
    ['a\tb', 'LOGWEIR_ACCESS_TOKENS: token 1 holds white space or a non-ASCII character. Choose another.'],
    ['caf\u00e9', 'LOGWEIR_ACCESS_TOKENS: token 1 holds white space or a non-ASCII character. Choose another.'],
  ])('are not %j of the variable, which is refused without telling the token', (accessTokens, message) => {
    expect(() => start({ accessTokens })).toThrow(expect.objectContaining({ code: 'usage', message }))
  })

  it.each([
    ['# none\n', 'holds no token. Write one on a line of its own.'],
    ['', 'holds no token. Write one on a line of its own.'],
    ['two words\n', 'line 1 holds white space'],
    ['a\0b\n', /^cannot read the tokens in .*tokens\.txt: it holds NUL characters\. Save it as UTF-8\.$/],
    [Buffer.from('abc\n', 'utf16le'), /it holds NUL characters\. Save it as UTF-8\.$/],
    ['{"tokens":[', 'is not of the form {"tokens":[…]}, in JSON. Correct or remove it.'],
  ])('are not those of a file of %j', (text, message) => {
    expect(() => start({ tokensFile: place(text).tokensFile })).toThrow(message)
  })

  it.each<[string, Buffer]>([
    ['a byte order mark', Buffer.from('\ufeffone\r\n')],
    ['UTF-16 as of PowerShell', Buffer.from('\ufeffone\r\n', 'utf16le')],
    ['UTF-16 with the other byte first', Buffer.from('\ufeffone\r\n', 'utf16le').swap16()],
    ['hashed ones behind a byte order mark', Buffer.from(`\ufeff${formatTokenEntries([hashed('one')])}`)],
    ['hashed ones in UTF-16', Buffer.from(`\ufeff${formatTokenEntries([hashed('one')])}`, 'utf16le')],
    ['a comment in Latin-1', Buffer.from('# f\u00fcr alle\none\n', 'latin1')],
  ])('are those of a file with %s', (_, bytes) => {
    const { tokensFile } = place()
    writeFileSync(tokensFile, bytes)
    expect(start({ tokensFile }).valid('one', '\ufeffone', 'one\r')).toEqual(['one'])
  })

  it('are not those of a file that is named and not there, or is none', () => {
    const { dataDir, tokensFile } = place()
    const message =
      `there is no tokens file ${tokensFile}. ` + `Create one: logweir token create --tokens-file ${tokensFile}`
    expect(() => start({ tokensFile })).toThrow(expect.objectContaining({ code: 'tokens_unavailable', message }))
    expect(() => start({ tokensFile: dataDir })).toThrow(/^cannot read the tokens in .*EISDIR/)
  })

  it('are as the file of hashed ones says', () => {
    const { tokensFile } = place(
      formatTokenEntries([
        hashed('all'),
        hashed('some', { scopes: ['ingest'], projects: ['a', 'b'], rate: '2/s', expires: '2026-11-20T10:00:01Z' }),
      ]),
    )
    const { access, clock } = start({ tokensFile })
    const { id: label } = hashed('all')
    expect(access('all')).toEqual({
      label,
      scopes: new Set(['query', 'ingest']),
      projects: undefined,
      limit: undefined,
    })
    expect(access('some')).toMatchObject({ scopes: new Set(['ingest']), projects: new Set(['a', 'b']) })
    expect([1, 2, 3].map(() => access('some')!.limit!.take())).toEqual([0, 0, 1])
    clock.advance(1_000)
    expect([access('some'), access('all')]).toEqual([undefined, expect.anything()])
  })
})

describe('the tokens of a Supabase', () => {
  const scopesOf = ({ access }: ReturnType<typeof start>, ...tokens: readonly string[]) =>
    tokens.map((token) => [...(access(token)?.scopes ?? [])].sort().join(' '))

  it('open ingest, or ingest and queries, of all projects', () => {
    const tokens = start({ publicAccessToken: 'send', privateAccessToken: 'ask' })
    expect(scopesOf(tokens, 'send', 'ask', 'other')).toEqual(['ingest', 'ingest query', ''])
    expect([tokens.access('send')!.projects, tokens.access('ask')!.projects]).toEqual([undefined, undefined])
    expect([tokens.made, ...tokens.logged]).toEqual([undefined])
  })

  it.each([
    [{ publicAccessToken: 'send' }, ['ingest', '']],
    [{ privateAccessToken: 'ask' }, ['', 'ingest query']],
  ])('are enough if only %j is set: none is generated, and a stored one is not valid', (given, scopes) => {
    const { dataDir } = place()
    storeToken(dataDir, 'kept')
    const tokens = start({ dataDir, ...given })
    expect(tokens.made).toBeUndefined()
    expect(scopesOf(tokens, 'send', 'ask', 'kept')).toEqual([...scopes, ''])
  })

  it('open both if they are equal', () => {
    expect(scopesOf(start({ publicAccessToken: 'one', privateAccessToken: 'one' }), 'one')).toEqual(['ingest query'])
  })

  it('are one token each, as it is: with commas and quotes', () => {
    const tokens = start({ publicAccessToken: 'a,b', privateAccessToken: '"c"' })
    expect(scopesOf(tokens, 'a,b', 'a', '"c"', 'c')).toEqual(['ingest', '', 'ingest query', ''])
  })

  it('are valid together with those of the variable and of a file, which may open more to the same one', () => {
    const { dataDir, tokensFile } = place('in-file\nboth\n')
    const given = { publicAccessToken: 'send', privateAccessToken: 'ask' }
    const all = start({ ...given, accessTokens: 'a', tokensFile })
    expect(scopesOf(all, 'send', 'ask', 'a', 'in-file')).toEqual([
      'ingest',
      'ingest query',
      'ingest query',
      'ingest query',
    ])
    expect(scopesOf(start({ publicAccessToken: 'a', accessTokens: 'a' }), 'a')).toEqual(['ingest query'])
    expect(scopesOf(start({ publicAccessToken: 'both', tokensFile }), 'both')).toEqual(['ingest query'])
    writeFileSync(join(dataDir, 'tokens.json'), formatTokenEntries([hashed('hashed', { scopes: ['query'] })]))
    expect(scopesOf(start({ ...given, dataDir }), 'send', 'hashed')).toEqual(['ingest', 'query'])
  })

  it.each([
    ['two words', 'holds white space or a non-ASCII character. Choose another.'],
    [' spaced', 'holds white space or a non-ASCII character. Choose another.'],
    ['caf\u00e9', 'holds white space or a non-ASCII character. Choose another.'],
    [`\${LOGFLARE_TOKEN}`, 'is a placeholder that was not replaced. Write the token itself.'],
  ])('are refused if one is %j, by the name of the variable', (token, fault) => {
    for (const [name, variable] of [
      ['publicAccessToken', 'LOGFLARE_PUBLIC_ACCESS_TOKEN'],
      ['privateAccessToken', 'LOGFLARE_PRIVATE_ACCESS_TOKEN'],
    ] as const) {
      const message = `${variable} ${fault}`
      expect(() => start({ [name]: token })).toThrow(expect.objectContaining({ code: 'usage', message }))
    }
  })

  it('are not valid without --supabase, and a warning names their variables', () => {
    const { logged, valid, made } = start({
      supabase: false,
      publicAccessToken: 'two words',
      privateAccessToken: 'ask',
    })
    expect(valid('two words', 'ask', made!)).toEqual([made])
    expect(logged).toEqual([
      'LOGFLARE_PUBLIC_ACCESS_TOKEN and LOGFLARE_PRIVATE_ACCESS_TOKEN: read only with --supabase ' +
        '(LOGWEIR_SUPABASE=true). The service does not accept this token.',
    ])
    expect(start({ supabase: false, accessTokens: 'a' }).logged).toEqual([])
  })

  it('are warned of if no token can query', () => {
    const warning = [expect.stringContaining('No access token can query')]
    expect(start({ publicAccessToken: 'send' }).logged).toEqual(warning)
    expect(start({ publicAccessToken: 'send', accessTokens: 'a' }).logged).toEqual([])
    expect(start({ publicAccessToken: 'send', privateAccessToken: 'ask' }).logged).toEqual([])
  })

  it.each([
    [['-public', '-private'], 'LOGFLARE_PUBLIC_ACCESS_TOKEN and LOGFLARE_PRIVATE_ACCESS_TOKEN'],
    [['', ''], 'LOGFLARE_PUBLIC_ACCESS_TOKEN and LOGFLARE_PRIVATE_ACCESS_TOKEN'],
    [['-public', undefined], 'LOGFLARE_PUBLIC_ACCESS_TOKEN'],
    [[undefined, '-private'], 'LOGFLARE_PRIVATE_ACCESS_TOKEN'],
  ])('are valid with a warning if they are published values: %j', (endings, variables) => {
    const [publicAccessToken, privateAccessToken] = endings.map((ending) =>
      ending === undefined ? undefined : `your-super-secret-and-long-logflare-key${ending}`,
    )
    const { logged, valid } = start({ publicAccessToken, privateAccessToken })
    const given = [publicAccessToken, privateAccessToken].filter((token) => token !== undefined)
    expect(valid(...given)).toEqual(given)
    expect(logged.filter((line) => !line.startsWith('No access token can query'))).toEqual([
      `${variables}: Supabase publishes this value in its example files, so everyone knows it. ` +
        'Set a random text, such as: openssl rand -hex 32',
    ])
  })
})

describe('where none is configured', () => {
  it('a token of 32 random bytes is made', () => {
    const { made, valid } = start()
    expect(made).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{42}$/)
    expect(valid(made!, '')).toEqual([made])
    expect(start().made).not.toBe(made)
  })

  it('a made token is kept, for the owner only, and found again', () => {
    const { dataDir } = place()
    const made = start({ dataDir }).made!
    storeToken(dataDir, made)
    expect(readdirSync(dataDir)).toEqual(['token'])
    expect(modeOf(join(dataDir, 'token'))).toBe(0o600)
    expect(readFileSync(join(dataDir, 'token'), 'utf8')).toBe(`${made}\n`)
    const again = start({ dataDir })
    expect([again.made, ...again.valid(made)]).toEqual([undefined, made])
    expect(start({ dataDir, accessTokens: 'a' }).valid('a', made)).toEqual(['a'])
  })

  it('a kept token is closed to others', () => {
    const { dataDir } = place()
    storeToken(dataDir, 'kept')
    chmodSync(join(dataDir, 'token'), 0o644)
    expect(start({ dataDir }).valid('kept')).toEqual(['kept'])
    expect(modeOf(join(dataDir, 'token'))).toBe(0o600)
  })

  it.each(['kept\r\n', '\ufeffkept', ' "kept"\t\n'])('a kept token is read from %j', (text) => {
    const { dataDir } = place()
    writeFileSync(join(dataDir, 'token'), text)
    expect(start({ dataDir }).valid('kept')).toEqual(['kept'])
  })

  it('a kept token that is empty is refused', () => {
    const { dataDir } = place()
    writeFileSync(join(dataDir, 'token'), '\n')
    expect(() => start({ dataDir })).toThrow(/token: token 1 is empty/)
  })

  it('none is made where the data directory has hashed ones, and a kept one goes on beside them', () => {
    const { dataDir } = place()
    writeFileSync(join(dataDir, 'tokens.json'), formatTokenEntries([hashed('a')]))
    const { made, valid } = start({ dataDir })
    expect([made, ...valid('a')]).toEqual([undefined, 'a'])
    storeToken(dataDir, 'kept')
    expect(start({ dataDir }).valid('a', 'kept')).toEqual(['a', 'kept'])
    expect(start({ dataDir, accessTokens: 'b' }).valid('a', 'b', 'kept')).toEqual(['a', 'b'])
    const { tokensFile } = place(formatTokenEntries([hashed('c')]))
    expect(start({ dataDir, tokensFile }).valid('a', 'c', 'kept')).toEqual(['c'])
  })

  it('one is made where all hashed ones are revoked', () => {
    const { dataDir } = place()
    writeFileSync(join(dataDir, 'tokens.json'), formatTokenEntries([]))
    expect(start({ dataDir }).made).toBeDefined()
  })
})

describe('a tokens file that changes', () => {
  it('is read again within a second, whether it is hashed or plain', () => {
    const { tokensFile } = place('one\n')
    const { clock, valid, logged } = start({ tokensFile, accessTokens: 'always' })
    writeFileSync(tokensFile, formatTokenEntries([hashed('two')]))
    expect(valid('one', 'two', 'always')).toEqual(['one', 'always'])
    clock.advance(1_000)
    expect(valid('one', 'two', 'always')).toEqual(['two', 'always'])
    writeFileSync(tokensFile, 'three\nfour\n')
    clock.advance(1_000)
    expect(valid('one', 'two', 'three', 'four', 'always')).toEqual(['three', 'four', 'always'])
    clock.advance(60_000)
    expect(logged).toEqual([
      `the tokens file ${tokensFile} has changed; tokens in it: 1`,
      `the tokens file ${tokensFile} has changed; tokens in it: 2`,
    ])
  })

  it('may come into being in the data directory', () => {
    const { dataDir } = place()
    const { clock, made, valid } = start({ dataDir })
    writeFileSync(join(dataDir, 'tokens.json'), formatTokenEntries([hashed('a')]))
    clock.advance(1_000)
    expect(valid('a', made!)).toEqual(['a', made])
  })

  it('may revoke all', () => {
    const { tokensFile } = place(formatTokenEntries([hashed('a')]))
    const { clock, valid } = start({ tokensFile })
    writeFileSync(tokensFile, formatTokenEntries([]))
    clock.advance(1_000)
    expect(valid('a')).toEqual([])
  })

  it('is passed over while it is broken, gone, or cannot be read, and the log hears of each once', () => {
    const { tokensFile } = place('one\n')
    const { clock, valid, logged } = start({ tokensFile })
    const steps = [
      () => writeFileSync(tokensFile, '{"tokens":[{"id":"secret-token"}]}'),
      () => rmSync(tokensFile),
      () => mkdirSync(tokensFile),
      () => rmSync(tokensFile, { recursive: true }),
    ]
    for (const step of steps) {
      step()
      clock.advance(10_000)
      expect(valid('one')).toEqual(['one'])
    }
    const gone = `the tokens file ${tokensFile} is missing; the previous tokens stay in force until it is back`
    const cannot = 'the tokens file has changed and cannot be used; the previous tokens stay in force.'
    expect(logged).toEqual([
      `${cannot} ${tokensFile}: token 1: "id" is not a text of 8 lower-case hexadecimal digits.`,
      gone,
      expect.stringContaining(`${cannot} cannot read the tokens in ${tokensFile}: EISDIR`),
      gone,
    ])
    writeFileSync(tokensFile, 'two\n')
    clock.advance(1_000)
    expect(valid('one', 'two')).toEqual(['two'])
  })

  it('begins no rate anew that it does not change', () => {
    const { tokensFile } = place(formatTokenEntries([hashed('a', { rate: '1/h' })]))
    const { clock, access } = start({ tokensFile })
    expect(access('a')!.limit!.take()).toBe(0)
    writeFileSync(tokensFile, formatTokenEntries([hashed('b'), hashed('a', { rate: '1/h', name: 'renamed' })]))
    clock.advance(1_000)
    expect(access('b')).toBeDefined()
    expect(access('a')!.limit!.take()).toBe(3_599)
    writeFileSync(tokensFile, formatTokenEntries([hashed('a', { rate: '2/h' })]))
    clock.advance(1_000)
    expect(access('a')!.limit!.take()).toBe(0)
  })

  it('is looked at no more after the end', () => {
    const { tokensFile } = place('one\n')
    const { clock, close } = start({ tokensFile })
    expect(clock.timers).toBe(1)
    close()
    expect(clock.timers).toBe(0)
  })
})

describe('a tokens file that is replaced', () => {
  /** Replaces the file at a path by a link, as the kubelet does. */
  function link(target: string, path: string): void {
    symlinkSync(target, `${path}.new`)
    renameSync(`${path}.new`, path)
  }

  it('is followed through a rename, a new file, and a shorter one at the same place', () => {
    const { dataDir, tokensFile } = place('one')
    const { clock, valid } = start({ tokensFile })
    writeFileSync(join(dataDir, 'next'), 'two')
    renameSync(join(dataDir, 'next'), tokensFile)
    clock.advance(1_000)
    expect(valid('one', 'two')).toEqual(['two'])
    rmSync(tokensFile)
    writeFileSync(tokensFile, 'six')
    clock.advance(1_000)
    expect(valid('two', 'six')).toEqual(['six'])
    writeFileSync(tokensFile, '4')
    clock.advance(1_000)
    expect(valid('six', '4')).toEqual(['4'])
  })

  it.each([
    'keeps',
    'removes',
  ])('is followed through the links of a secret of Kubernetes, which %s the old one', (how) => {
    const { dataDir } = place()
    const publish = (version: number, text: string) => {
      mkdirSync(join(dataDir, `..${version}`))
      writeFileSync(join(dataDir, `..${version}`, 'tokens'), text)
      link(`..${version}`, join(dataDir, '..data'))
      if (how === 'removes') rmSync(join(dataDir, `..${version - 1}`), { recursive: true, force: true })
    }
    publish(1, 'one')
    const tokensFile = join(dataDir, 'tokens')
    link('..data/tokens', tokensFile)
    const { clock, valid, logged } = start({ tokensFile })
    publish(2, 'two')
    clock.advance(1_000)
    publish(3, 'six')
    clock.advance(1_000)
    expect(valid('one', 'two', 'six')).toEqual(['six'])
    expect(logged).toEqual(Array(2).fill(`the tokens file ${tokensFile} has changed; tokens in it: 1`))
  })

  it('opens to nothing that is half written, and shuts nothing out', () => {
    const { tokensFile } = place('one\nother\n')
    const { clock, valid, logged } = start({ tokensFile })
    const tokens = ['one', 'other', 'secret', 'secret-token', 'LOGWEIR_TOKEN=']
    const steps = [
      () => truncateSync(tokensFile),
      () => appendFileSync(tokensFile, 'LOGWEIR_TOKEN='),
      () => appendFileSync(tokensFile, 'secret'),
      () => appendFileSync(tokensFile, '-token\n'),
    ]
    for (const step of steps) {
      clock.advance(499)
      step()
      clock.advance(1)
      expect(valid(...tokens)).toEqual(['one', 'other'])
    }
    clock.advance(500)
    expect(valid(...tokens)).toEqual(['secret-token'])
    expect(logged).toEqual([`the tokens file ${tokensFile} has changed; tokens in it: 1`])
  })

  it('is gone for a moment without a word', () => {
    const { tokensFile } = place('one')
    const { clock, valid, logged } = start({ tokensFile })
    rmSync(tokensFile)
    clock.advance(500)
    writeFileSync(tokensFile, 'two')
    clock.advance(1_000)
    expect(valid('one', 'two')).toEqual(['two'])
    expect(logged).toEqual([`the tokens file ${tokensFile} has changed; tokens in it: 1`])
  })

  it.each<[string, string | Buffer, string]>([
    ['empty', '', 'holds no token. Write one on a line of its own.'],
    ['blank', ' \r\n', 'holds no token. Write one on a line of its own.'],
    ['a placeholder', `\${TOKEN}`, 'line 1 is a placeholder that was not replaced. Write the token itself.'],
    ['half of a list', '{"tokens":[', 'is not of the form {"tokens":[…]}, in JSON. Correct or remove it.'],
    ['full of NULs, as after a power cut', Buffer.alloc(8), 'it holds NUL characters. Save it as UTF-8.'],
  ])('leaves the tokens of before in force if it stays %s', (_, text, fault) => {
    const { tokensFile } = place('one')
    const { clock, valid, logged } = start({ tokensFile })
    writeFileSync(tokensFile, text)
    clock.advance(60_000)
    expect(valid('one', '', `\${TOKEN}`)).toEqual(['one'])
    expect(logged).toEqual([expect.stringContaining(fault)])
  })
})
