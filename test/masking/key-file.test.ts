import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readExistingKey, readKeyFile } from '../../src/masking/key-file.js'
import { createTreatments } from '../../src/masking/treatment.js'

let path: string
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'logweir-key-')), 'mask.key')
})
afterEach(() => rmSync(join(path, '..'), { recursive: true }))

describe('the key of hashes', () => {
  it('is made once, and readable by its user alone', () => {
    const key = readKeyFile(path)
    expect(key.length).toBe(64)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readKeyFile(path)).toEqual(key)
    expect(readExistingKey(path)).toEqual(key)
    rmSync(path)
    expect(readKeyFile(path)).not.toEqual(key)
  })

  it('may be one of the user, without the white space around it', () => {
    writeFileSync(path, ' 0123456789abcdef\r\n')
    expect(Buffer.from(readKeyFile(path)).toString()).toBe('0123456789abcdef')
  })

  it.each(['', 'short', 'x'.repeat(5_000)])('has 16 to 4,096 bytes', (text) => {
    writeFileSync(path, text)
    expect(() => readKeyFile(path)).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(`this one has ${text.length}.`) }),
    )
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('must be there for a test of rules, and its folder for a service', () => {
    expect(() => readExistingKey(path)).toThrow(expect.objectContaining({ code: 'failed' }))
    expect(() => readKeyFile(join(path, 'none'))).toThrow(expect.objectContaining({ code: 'failed' }))
  })
})

describe('a treatment', () => {
  const treatments = createTreatments(Buffer.from('0123456789abcdef'))

  it('hashes by HMAC-SHA-256, equal values alike', () => {
    // printf joe@example.com | openssl dgst -sha256 -hmac 0123456789abcdef
    expect(treatments.hash('joe@example.com')).toBe('hash:6f7ab77d33042961')
    expect(treatments.hash('joe@example.com')).toBe(treatments.hash('joe@example.com'))
    expect(treatments.hash('joe@example.con')).not.toBe(treatments.hash('joe@example.com'))
    expect(createTreatments(Buffer.from('another key 16b')).hash('joe@example.com')).not.toBe(
      treatments.hash('joe@example.com'),
    )
  })

  it.each([
    ['4111111111111111', '***1111'],
    ['short', '***'],
    ['eleven char', '***'],
    ['twelve chars', '***hars'],
    [`${'x'.repeat(12)}😀😀😀😀`, '***😀😀😀😀'],
  ])('keeps of %j the last four characters if that is a small part', (value, masked) => {
    expect(treatments.last4(value)).toBe(masked)
  })
})
