import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { compressFrame } from '../support/zstd-frames.js'
import { askLines, fileMaker } from './ask.js'

/** `zstd --check` of the lines. */
const CHECKED = Buffer.from('KLUv/SRYFQEAyHsiYSI6MSwidCI6IngifQp7ImEiOjIzfQoCAJYqDxB8AfhPUYY=', 'base64')
const LONG = 'x'.repeat(25)
const LINES = `{"a":1,"t":"${LONG}"}\n{"a":2,"t":"${LONG}"}\n{"a":3}\n`
const ROWS = '{"a":1}\n{"a":2}\n{"a":3}\n'

const FORMATS = [
  ['gzip', gzipSync(LINES)],
  ['zstd', CHECKED],
] as const

const SKIPPABLE = Buffer.from('502a4d1803000000616263', 'hex')

const STREAMED = 'select a from lines'
const GROUPED = 'select count(*) as n, sum(a) as s from lines'

/** Expects an error with the file's name and a place, and no groups. */
async function expectDamage(path: string, what: string, shown: string): Promise<void> {
  const grouped = await askLines(GROUPED, [path])
  expect(grouped, shown).toMatchObject({ text: '', error: { code: 'damaged_input' } })
  const message = new RegExp(`^${path} is a damaged ${what} file, near byte \\d+: .*\\.$`)
  expect(grouped.error!.message, shown).toMatch(message)
}

describe.each(FORMATS)('a %s file', (what, whole) => {
  it('that is cut at any byte is an error: rows stay, groups are not printed', async () => {
    const write = fileMaker()
    // A byte of the magic number of zstd is a bracket.
    for (let end = what === 'gzip' ? 1 : 2; end < whole.length; end++) {
      const path = write(whole.subarray(0, end))
      await expectDamage(path, what, `${end} bytes`)
      const { text, error } = await askLines(STREAMED, [path])
      expect([end, error?.code]).toEqual([end, 'damaged_input'])
      expect(ROWS.startsWith(text)).toBe(true)
    }
  })

  it('has the same rows, or is an error, if any byte is wrong', async () => {
    const write = fileMaker()
    let errors = 0
    for (let at = 4; at < whole.length; at++) {
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 0x11
      const path = write(damaged)
      const { text, error } = await askLines(GROUPED, [path])
      if (error === undefined) expect([at, text]).toEqual([at, '{"n":3,"s":6}\n'])
      else errors++
      if (error !== undefined) await expectDamage(path, what, `byte ${at}`)
    }
    expect(errors).toBeGreaterThan(whole.length - 4 - 8)
  })

  it('prints the rows of a first part, and no groups, if another is damaged', async () => {
    const write = fileMaker()
    const path = write(Buffer.concat([whole, whole.subarray(0, -1)]))
    expect(await askLines(STREAMED, [path])).toMatchObject({ text: expect.stringContaining(ROWS), error: {} })
    await expectDamage(path, what, 'two parts')
    const behind = write('{"a":4}\n')
    expect((await askLines(STREAMED, [behind, path])).text).toContain(`{"a":4}\n${ROWS}`)
    expect((await askLines(STREAMED, [path, behind])).text).not.toContain('{"a":4}')
  })

  it('is an error with bytes behind it', async () => {
    const write = fileMaker()
    for (const rest of ['garbage', '\n', '{"a":4}\n', Buffer.concat([Buffer.alloc(9), whole])])
      await expectDamage(write(Buffer.concat([whole, Buffer.from(rest)])), what, String(rest))
  })
})

describe('compressed files', () => {
  it('have the rows of all members and frames, among them empty and skippable frames', async () => {
    const write = fileMaker()
    const half = LINES.indexOf('2')
    const parts = [LINES.slice(0, half), '', LINES.slice(half)]
    const gzip = write(Buffer.concat(parts.map((part) => gzipSync(part))))
    const frames = parts.map((part) => compressFrame(Buffer.from(part)))
    const zstd = write(Buffer.concat([SKIPPABLE, ...frames.flatMap((frame) => [frame, SKIPPABLE])]))
    for (const path of [gzip, zstd]) expect(await askLines(STREAMED, [path])).toMatchObject({ text: ROWS, told: [] })
    const all = await askLines(GROUPED, [gzip, zstd, write(LINES), gzip])
    expect(all).toEqual({ text: '{"n":12,"s":24}\n', told: [], error: undefined })
  })

  it('are known by their first bytes, not by their names', async () => {
    const write = fileMaker()
    const empty = write('')
    expect(await askLines(STREAMED, [empty])).toEqual({ text: '', told: [], error: undefined })
    const bracket = write('(')
    expect(await askLines(STREAMED, [bracket])).toMatchObject({ text: '', told: ['1 line left out: no JSON.'] })
  })
})
