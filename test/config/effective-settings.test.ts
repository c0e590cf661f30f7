import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { stringify } from 'smol-toml'
import { afterAll, describe, expect, it } from 'vitest'
import { SOURCE_NAMES } from '../../src/common/sources.js'
import { effectiveSettingsJson, effectiveSettingsToml } from '../../src/config/effective-settings.js'
import { readEffectiveSettings, readServeConfig } from '../../src/config/serve-config.js'
import { SERVE_SETTINGS } from '../../src/config/serve-settings.js'
import { fileNameOf } from '../../src/config/setting.js'

const folder = mkdtempSync(join(tmpdir(), 'logweir-config-'))
const path = join(folder, 'logweir.toml')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function withFile(text: string): string[] {
  writeFileSync(path, text, { mode: 0o600 })
  return ['--config', path]
}

const effectiveSettings = (args: readonly string[], environment = {}) => {
  const { settings } = readEffectiveSettings(args, environment)
  return { text: effectiveSettingsToml(settings), json: JSON.parse(effectiveSettingsJson(settings)) }
}

describe('logweir config', () => {
  it('tells each setting of serve, its value and where it comes from', () => {
    const args = [...withFile('\nhost = "file"\naccess-tokens = "hush"\nport = 9'), '--port', '1']
    const { text, json } = effectiveSettings(args, { LOGWEIR_MEMORY_LIMIT: '2g', LOGWEIR_CLICKHOUSE_PASSWORD: 'hush' })
    expect(Object.keys(json)).toEqual(Object.keys(SERVE_SETTINGS).map(fileNameOf))
    expect(json).toMatchObject({
      config: { value: path, origin: 'flag', where: '--config' },
      port: { value: 1, origin: 'flag', where: '--port' },
      host: { value: 'file', origin: 'file', where: `${path} line 2` },
      'memory-limit': { value: '2g', origin: 'variable', where: 'LOGWEIR_MEMORY_LIMIT' },
      'data-dir': { value: './logweir-data', origin: 'default', where: 'default' },
      'in-memory': { value: null, origin: 'default', where: 'default' },
      'access-tokens': { value: '***', origin: 'file', where: `${path} line 3` },
      'clickhouse-password': { value: '***', origin: 'variable', where: 'LOGWEIR_CLICKHOUSE_PASSWORD' },
    })
    expect(text).toMatch(/^port = 1 +# --port$/m)
    expect(text).toMatch(/^memory-limit = "2g" +# LOGWEIR_MEMORY_LIMIT$/m)
    expect(text).toMatch(/^# access-tokens = "\*\*\*" +# .*logweir\.toml line 3$/m)
    expect(text).toMatch(/^# in-memory is not set: write nothing to disk/m)
    expect(text + JSON.stringify(json)).not.toContain('hush')
  })

  it('leaves out what has no effect', () => {
    expect(effectiveSettings(['--in-memory']).json).toMatchObject({
      'in-memory': { value: true },
      'data-dir': { value: null },
    })
    expect(effectiveSettings(['--data-dir', 'd'], { LOGWEIR_IN_MEMORY: '1' }).json).toMatchObject({
      'in-memory': { value: null },
      'data-dir': { value: 'd' },
    })
  })

  it('hides the tokens of a Supabase, which are read with --supabase only', () => {
    const environment = { LOGFLARE_PUBLIC_ACCESS_TOKEN: 'hush', LOGFLARE_PRIVATE_ACCESS_TOKEN: 'hush' }
    const { text, json } = effectiveSettings(['--supabase'], environment)
    expect(json).toMatchObject({
      'public-access-token': { value: '***', origin: 'variable', where: 'LOGFLARE_PUBLIC_ACCESS_TOKEN' },
      'private-access-token': { value: '***', origin: 'variable', where: 'LOGFLARE_PRIVATE_ACCESS_TOKEN' },
    })
    expect(text).toMatch(/^# private-access-token = "\*\*\*" +# LOGFLARE_PRIVATE_ACCESS_TOKEN$/m)
    expect(text + JSON.stringify(json)).not.toContain('hush')
    expect(effectiveSettings([], environment).json).toEqual(effectiveSettings([]).json)
  })

  it('refuses what serve refuses, in the same words', () => {
    for (const args of [['--port', 'x'], ['--nope'], ['--engine', 'clickhouse'], ['--in-memory', '--data-dir', 'd']]) {
      const refusal = (read: () => unknown) => {
        try {
          return read()
        } catch (error) {
          return (error as Error).message
        }
      }
      const message = refusal(() => readServeConfig(args, {}))
      expect(message).toEqual(expect.any(String))
      expect(refusal(() => readEffectiveSettings(args, {}))).toBe(message)
    }
  })

  it('can be read back as a file, and is the same configuration', () => {
    const word = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => !text.startsWith('-'))
    const flags = fc.record(
      {
        port: fc.nat(65_535).map(String),
        host: fc.constantFrom('::', '0.0.0.0', 'wg0.internal'),
        source: fc.constantFrom(...SOURCE_NAMES, 'gotrue.logs.prod'),
        'memory-limit': fc.constantFrom('1', '512M', '2g', '0.5 GiB', '999999999999999'),
        'max-disk-bytes': fc.integer({ min: 1 }).map(String),
        'retention-days': fc.integer({ min: 1, max: 36_500 }).map(String),
        'tokens-file': word,
        engine: fc.constantFrom('embedded', 'clickhouse'),
        'clickhouse-cluster': fc.constantFrom('a', 'b_1'),
        'clickhouse-user': word,
      },
      { requiredKeys: [] },
    )
    const place = fc.oneof(
      fc.constant(['--in-memory']),
      word.map((dir) => [`--data-dir=${dir}`]),
      fc.constant([]),
    )
    fc.assert(
      fc.property(flags, place, (given, where) => {
        const isOnServer = given.engine === 'clickhouse'
        const rest = isOnServer ? ['--clickhouse-url', 'http://ch:1'] : where
        const args = [...Object.entries(given).map(([name, value]) => `--${name}=${value}`), ...rest]
        const expected = readServeConfig(args, {})
        const { text, json } = effectiveSettings(args)
        expect(readServeConfig(withFile(text), {})).toEqual(expected)
        const values = Object.entries<{ value: unknown }>(json).filter(([, { value }]) => value !== null)
        const file = stringify(Object.fromEntries(values.map(([name, { value }]) => [name, value])))
        expect(readServeConfig(withFile(file), {})).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })
})
