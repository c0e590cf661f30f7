import { describe, expect, it } from 'vitest'
import { GIB, KIB, MIB } from '../../src/base/units.js'
import { bytes, hostName, onOff } from '../../src/config/value-types.js'

describe('a size', () => {
  it.each([
    ['1', 1],
    ['1073741824', GIB],
    ['1024B', KIB],
    ['512K', 512 * KIB],
    ['512M', 512 * MIB],
    ['512m', 512 * MIB],
    ['512MB', 512 * MIB],
    ['512Mb', 512 * MIB],
    ['512Mi', 512 * MIB],
    ['512MiB', 512 * MIB],
    ['512 MB', 512 * MIB],
    ['0.5G', 512 * MIB],
    ['1.5gib', 1536 * MIB],
    ['.5G', 512 * MIB],
    ['2T', 2048 * GIB],
    ['2Ti', 2048 * GIB],
    ['0.3K', 307],
  ])('%s is %d bytes', (text, expected) => {
    expect(bytes.read(text)).toBe(expected)
  })

  it.each([
    '',
    '0',
    '0.0001K',
    '-1G',
    '0.5',
    '1.5B',
    '512i',
    '512iB',
    '512MM',
    '1e9',
    '1,5G',
    '.G',
    '1.G',
    'G',
    '9999999T',
    '512  MB',
  ])('"%s" is none', (text) => {
    expect(bytes.read(text)).toBeUndefined()
  })
})

describe('a switch', () => {
  it.each([
    [true, ['true', 'True', 'TRUE', 'yes', 'Yes', 'on', 'ON', '1']],
    [false, ['false', 'False', 'FALSE', 'no', 'NO', 'off', 'Off', '0']],
    [undefined, ['', '2', 'y', 'enabled', 'null', 'constructor']],
  ])('is %s for each of %j', (expected, texts) => {
    expect(texts.map(onOff.read)).toEqual(texts.map(() => expected))
  })
})

describe('an address to listen on', () => {
  it.each([
    '127.0.0.1',
    '0.0.0.0',
    '::',
    '::1',
    'fe80::1%eth0',
    'localhost',
    'wg0.internal',
    'my_host',
    'a-b.example.',
    'xn--mnchen-3ya.de',
    '0',
  ])('may be %s', (text) => {
    expect(hostName.read(text)).toBe(text)
  })

  it.each([
    '',
    '0.0.0.0:4000',
    'http://0.0.0.0',
    '[::1]',
    '*',
    'a b',
    'a..b',
    '-a',
    '300.1.1.1',
    '1.2.3.4/24',
    ':::',
    'a'.repeat(64),
    'a.'.repeat(130),
  ])('can never be "%s"', (text) => {
    expect(hostName.read(text)).toBeUndefined()
  })
})
