import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { SERVE_SETTINGS } from '../../src/config/serve-settings.js'
import { FILE_SETTINGS } from '../../src/config/settings.js'
import { readSettingsFile } from '../../src/config/settings-file.js'

const folder = mkdtempSync(join(tmpdir(), 'logweir-settings-'))
const path = join(folder, 'logweir.toml')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function read(text: string | Uint8Array, mode = 0o600) {
  writeFileSync(path, text)
  chmodSync(path, mode)
  return readSettingsFile(path, FILE_SETTINGS)
}

/** Returns the error message, a single line, with FILE for the name of the file. */
function errorMessage(text: string | Uint8Array): string {
  try {
    read(text)
  } catch (error) {
    expect(error).toMatchObject({ code: 'usage' })
    expect((error as Error).message).toContain(path)
    expect((error as Error).message).not.toContain('\n')
    return (error as Error).message.replaceAll(path, 'FILE')
  }
  throw new Error('no error was thrown')
}

describe('readSettingsFile', () => {
  it('gives texts as variables would have them, and tells their lines', () => {
    const file = read(
      '\uFEFF# a comment\nport = 4_000\n\n  "data-dir" = \'a b\'\nin-memory = false # no\nmemory-limit = "2G"\n',
    )
    expect([...file.texts]).toEqual([
      ['port', '4000'],
      ['dataDir', 'a b'],
      ['inMemory', 'false'],
      ['memoryLimit', '2G'],
    ])
    expect([...file.texts.keys()].map((name) => file.placeOf(name))).toEqual(
      [2, 4, 5, 6].map((line) => `${path} line ${line}`),
    )
    expect([...read('').texts]).toEqual([])
  })

  it.each<[string, Buffer]>([
    ['CRLF and a byte order mark', Buffer.from('\ufeffport = 1\r\nclickhouse-password = "p"\r\n')],
    ['UTF-16', Buffer.from('\ufeffport = 1\r\nclickhouse-password = "p"', 'utf16le')],
    ['UTF-16 with the other byte first', Buffer.from('\ufeffport = 1\nclickhouse-password = "p"', 'utf16le').swap16()],
  ])('reads %s', (_, bytes) => {
    const file = read(bytes)
    expect([...file.texts]).toEqual([
      ['port', '1'],
      ['clickhousePassword', 'p'],
    ])
    expect(file.placeOf('clickhousePassword')).toBe(`${path} line 2`)
  })

  it.each(['true', '1', '"1"', '"Yes"', '"ON"'])('takes a switch as a variable does: in-memory = %s', (value) => {
    const file = read(`in-memory = ${value}`)
    expect(SERVE_SETTINGS.inMemory.type.read(file.texts.get('inMemory')!)).toBe(true)
  })

  it.each([
    ['prot = 1', 'FILE line 1: unknown setting "prot". Did you mean port?'],
    ['\ndata_dir = "d"', 'FILE line 2: unknown setting "data_dir". Did you mean data-dir?'],
    ['LOGWEIR_PORT = 1', 'FILE line 1: unknown setting "LOGWEIR_PORT". Did you mean port?'],
    ['config = "other.toml"', /^FILE line 1: unknown setting "config". /],
    ['json = true', /^FILE line 1: unknown setting "json". /],
    ['__proto__ = 1', /^FILE line 1: unknown setting "__proto__". There are: url, /],
    ['[serve]\nport = 1', /^FILE line 1: unknown setting "serve". /],
    ['port = true', 'FILE line 1: port: true is not an integer from 0 to 65535.'],
    ['port = [1, 2]', 'FILE line 1: port: [1,2] is not an integer from 0 to 65535.'],
    ['port.a = 1', 'FILE line 1: port: {"a":1} is not an integer from 0 to 65535.'],
    ['data-dir = 1', 'FILE line 1: data-dir: 1 is not a text of at least one character. Write it in quotes.'],
    [
      'data-dir = 2026-11-20',
      /^FILE line 1: data-dir: "2026-11-20.*" is not a text of at least one character\. Write it in quotes\.$/,
    ],
    ['in-memory = []', 'FILE line 1: in-memory: [] is not one of 1, true, yes, on, 0, false, no, off.'],
    [
      'access-tokens = ["secret"]',
      'FILE line 1: access-tokens: *** is not a text of at least one character. Write it in quotes.',
    ],
    ['port = 1\nport = 2', /^FILE line 2: not TOML: /],
    ['port = 1\naccess-tokens = "secret', /^FILE line 2: not TOML: .* texts in quotes\.$/],
    ['memory-limit = 2G', /^FILE line 1: not TOML: /],
    [new Uint8Array([0x68, 0xff]), 'FILE: not UTF-8 text.'],
    [Buffer.from('port = 1', 'utf16le'), 'FILE: not UTF-8 text.'],
    [new Uint8Array([0xff, 0xfe, 0x68]), 'FILE: not UTF-8 text.'],
    ['port = 1\rhost = "secret"', /^FILE line 1: not TOML: /],
    [`# ${'x'.repeat(2 ** 20)}`, 'FILE: it is over 1048576 bytes, too long for a settings file.'],
  ])('refuses %j', (text, message) => {
    const actual = errorMessage(text)
    if (typeof message === 'string') expect(actual).toBe(message)
    else expect(actual).toMatch(message)
    expect(actual).not.toContain('secret')
  })

  it('refuses what it cannot read', () => {
    const reading = (name: string) => () => readSettingsFile(name, FILE_SETTINGS)
    expect(reading('/no/such.toml')).toThrow(/^cannot read the settings in \/no\/such\.toml: ENOENT.*\.$/)
    expect(reading(folder)).toThrow(/^cannot read the settings in .*: EISDIR.*\.$/)
    expect(reading('/dev/zero')).toThrow('/dev/zero: it is over 1048576 bytes, too long for a settings file.')
  })

  it('warns of secrets that all can read, and of nothing else', () => {
    const secret = 'clickhouse-password = "p"'
    expect(read(secret, 0o644).warning).toBe(
      `${path} holds secrets, and every user of this machine can read it: chmod 600 ${path}`,
    )
    expect(read(secret, 0o640).warning).toBeUndefined()
    expect(read('port = 1', 0o644).warning).toBeUndefined()
  })
})
