import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTokenCreateConfig, readTokenListConfig, readTokenRevokeConfig } from '../../src/config/token-config.js'
import { runTokenCommand } from '../../src/tokens/command.js'
import { parseTokenEntries } from '../../src/tokens/entry.js'
import { digestOf } from '../../src/tokens/token-registry.js'
import { updateTokenEntries } from '../../src/tokens/update-file.js'
import { createFakeClock } from '../support/clock.js'
import { modeOf, temporaryFolder } from './folder.js'

const READERS = { create: readTokenCreateConfig, list: readTokenListConfig, revoke: readTokenRevokeConfig }

function open(folder = temporaryFolder()) {
  const dataDir = join(folder, 'data')
  const path = join(dataDir, 'tokens.json')
  const clock = createFakeClock()
  const logged: string[] = []
  /** Runs a command and returns the output. */
  const token = async (line: string) => {
    const printed: string[] = []
    const [action, ...args] = line.split(' ')
    const config = READERS[action as keyof typeof READERS]([...args, '--data-dir', dataDir], {})
    await runTokenCommand(config, { print: (text) => printed.push(text), log: (line) => logged.push(line), clock })
    return printed.join('')
  }
  const entries = () => parseTokenEntries(readFileSync(path, 'utf8'), path)
  return { dataDir, path, clock, logged, token, entries }
}

describe('logweir token create', () => {
  it.each([
    ['/dev/null/data', 'ENOTDIR', 'A part of this path is a file'],
    // The system reports ENOENT for every file that is created there.
    ['/proc/logweir/data', 'ENOENT', 'Something on this path is missing'],
  ])('tells file, user and remedy where the file cannot be made: %s', async (folder, errno, remedy) => {
    await expect(open(folder).token('create')).rejects.toThrow(
      new RegExp(`^cannot write ${folder}/data/tokens.json.*: ${errno}: .*This process runs as uid \\d+.*${remedy}`),
    )
  })

  it('prints the token alone, and keeps its hash alone, for the owner only', async () => {
    const { dataDir, path, logged, token, entries } = open()
    const printed = await token('create')
    expect(printed).toMatch(/^[\w][\w-]{42}\n$/)
    expect(entries()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}$/),
        sha256: digestOf(printed.trim()).toString('hex'),
        scopes: ['query', 'ingest'],
        created: '2026-11-20T10:00:00.000Z',
      },
    ])
    expect([modeOf(dataDir), modeOf(path)]).toEqual([0o700, 0o600])
    expect(readdirSync(dataDir)).toEqual(['tokens.json'])
    expect(logged.join()).toMatch(
      /^created the token [0-9a-f]{8}, shown only this once: .*tokens\.json stores its SHA-256/,
    )
    expect(logged.join() + readFileSync(path, 'utf8')).not.toContain(printed.trim())
  })

  it('takes all that can be said of a token', async () => {
    const { token, entries } = open()
    await token('create --name vector --scope ingest --project a,b.c --expires 30d --rate 600/m')
    await token('create --name later --expires 2027-01-01')
    expect(entries()).toMatchObject([
      {
        name: 'vector',
        scopes: ['ingest'],
        projects: ['a', 'b.c'],
        expires: '2026-12-20T10:00:00.000Z',
        rate: '600/m',
      },
      { name: 'later', expires: '2027-01-01T00:00:00.000Z' },
    ])
  })

  it.each([
    ['--expires 2026-11-20T10:00:00Z', '--expires: 2026-11-20T10:00:00.000Z has passed. Give a future time.'],
    ['--expires soon', /^--expires: "soon" is not a length of time, such as 12h or 30d, or an ISO 8601 time/],
    [
      '--scope admin',
      '--scope: "admin" is not a comma-separated list without duplicates, ' +
        'in which each item is one of query, ingest, delete.',
    ],
    ['--scope query,', /^--scope: "query," is not/],
    ['--project a,,b', /^--project: "a,,b" is not a comma-separated list without duplicates, at most 100 long/],
    ['--rate 0/s', /^--rate: "0\/s" is not a rate above 0/],
    ['--name -x', '--name needs a value: --name VALUE.'],
    ['--name .x', /^--name: "\.x" is not a name of letters, digits, dots, dashes and _/],
    ['--name taken', /^--name taken: .*tokens.json has a token of that name\. Choose another, or revoke that one\.$/],
    ['extra', 'unexpected argument "extra". Try: logweir --help'],
  ])('refuses %s, and changes nothing', async (flags, message) => {
    const { dataDir, token, entries } = open()
    await token('create --name taken')
    await expect(token(`create ${flags}`)).rejects.toMatchObject({
      code: flags === '--name taken' ? 'failed' : 'usage',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
    expect(entries()).toHaveLength(1)
    expect(readdirSync(dataDir)).toEqual(['tokens.json'])
  })

  it('loses none of many that come at the same time', async () => {
    const { token, entries } = open()
    const printed = await Promise.all(Array.from({ length: 20 }, () => token('create')))
    expect(
      entries()
        .map(({ sha256 }) => sha256)
        .sort(),
    ).toEqual(printed.map((one) => digestOf(one.trim()).toString('hex')).sort())
  })

  it('takes over from one that died', async () => {
    const { path, token, entries } = open()
    await token('create')
    writeFileSync(`${path}.new`, '{"tok')
    utimesSync(`${path}.new`, new Date(Date.now() - 6_000), new Date(Date.now() - 6_000))
    await token('create')
    expect(entries()).toHaveLength(2)
  })

  it('changes nothing where another has taken it for dead', async () => {
    const { path, token, entries } = open()
    await token('create')
    const overtaken = updateTokenEntries(path, () => {
      rmSync(`${path}.new`)
      writeFileSync(`${path}.new`, 'of another')
      return []
    })
    await expect(overtaken).rejects.toThrow(
      'tokens.json.new was removed by another process: nothing was changed. Try again.',
    )
    expect(entries()).toHaveLength(1)
    expect(readFileSync(`${path}.new`, 'utf8')).toBe('of another')
  })

  it('changes the file that a link leads to, and not the link', async () => {
    const { dataDir, path, token, entries } = open()
    await token('create --name first')
    const shared = join(dataDir, 'shared.json')
    renameSync(path, shared)
    symlinkSync('shared.json', path)
    await token('create --name second')
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(parseTokenEntries(readFileSync(shared, 'utf8'), shared)).toEqual(entries())
    expect(entries().map(({ name }) => name)).toEqual(['first', 'second'])
    expect(readdirSync(dataDir).sort()).toEqual(['shared.json', 'tokens.json'])
  })

  it('leaves plain tokens alone', async () => {
    const { dataDir, path, token } = open()
    await token('create')
    writeFileSync(path, 'plain\n')
    await expect(token('create')).rejects.toThrow('holds plain tokens, one a line: edit it by hand')
    expect(readFileSync(path, 'utf8')).toBe('plain\n')
    expect(readdirSync(dataDir)).toEqual(['tokens.json'])
  })

  it('leaves a file alone that it cannot read', async () => {
    const { path, token } = open()
    await token('create')
    writeFileSync(path, '{"tokens":[')
    await expect(token('create')).rejects.toThrow('is not of the form {"tokens":[…]}, in JSON')
    expect(readFileSync(path, 'utf8')).toBe('{"tokens":[')
  })

  it('goes to another file where one is named', async () => {
    const folder = temporaryFolder()
    const { path, token } = open(folder)
    const other = join(folder, 'elsewhere', 'keys')
    await token(`create --tokens-file ${other}`)
    expect(existsSync(path)).toBe(false)
    expect(parseTokenEntries(readFileSync(other, 'utf8'), other)).toHaveLength(1)
  })
})

describe('logweir token list', () => {
  it('shows a table, and JSON, without a secret', async () => {
    const { token, entries } = open()
    await token('create')
    await token('create --name vector --scope ingest --project a,b --expires 1h --rate 5/s')
    const [one, two] = entries().map(({ id }) => id)
    expect(await token('list')).toBe(
      [
        'ID        NAME    SCOPES        PROJECTS  EXPIRES                   RATE  CREATED',
        `${one}  -       query,ingest  all       never                     any   2026-11-20T10:00:00.000Z`,
        `${two}  vector  ingest        a,b       2026-11-20T11:00:00.000Z  5/s   2026-11-20T10:00:00.000Z`,
        '',
      ].join('\n'),
    )
    const listed = (await token('list --json')).trim().split('\n')
    expect(listed.map((line) => JSON.parse(line))).toEqual(entries().map(({ sha256, ...shown }) => shown))
  })

  it('shows no token where there is no file', async () => {
    const { token } = open()
    expect(await token('list')).toBe('ID  NAME  SCOPES  PROJECTS  EXPIRES  RATE  CREATED\n')
    expect(await token('list --json')).toBe('')
  })
})

describe('logweir token revoke', () => {
  it('ends the token of that id or name, and no other', async () => {
    const { token, entries, logged } = open()
    await token('create --name one')
    await token('create --name two')
    await token('create --name three')
    await token('revoke two')
    await token(`revoke ${entries()[0]!.id}`)
    expect(entries().map(({ name }) => name)).toEqual(['three'])
    expect(logged.at(-2)).toBe('revoked the token two')
    await expect(token('revoke two')).rejects.toThrow('has no token of that id or name. Try: logweir token list')
    await token('revoke three')
    expect(entries()).toEqual([])
  })

  it('asks which one', () => {
    expect(() => readTokenRevokeConfig([], {})).toThrow(
      'revoke which token? Give its id or name: logweir token revoke NAME',
    )
  })
})
