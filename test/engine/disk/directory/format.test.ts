import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  checkFormat,
  createFormatRaiser,
  ROWS_FORMAT,
  VIEWS_FORMAT,
} from '../../../../src/engine/disk/directory/format.js'
import { createDiskFiles } from '../../../../src/engine/disk/files/files.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-format-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const check = () => checkFormat(createDiskFiles(root), root)
const mark = () => readFileSync(join(root, 'format.json'), 'utf8')

describe('the format of a data directory', () => {
  it('is marked once, in a directory that may hold a token already', async () => {
    writeFileSync(join(root, 'token'), 'x')
    // The remains of a start that was killed.
    writeFileSync(join(root, 'format.json.new'), '{"format":"logweir","version":1}\n and more')
    await check()
    expect(mark()).toBe('{"format":"logweir","version":1}\n')
    await check()
    expect(mark()).toBe('{"format":"logweir","version":1}\n')
    expect(readdirSync(root).sort()).toEqual(['format.json', 'token'])
  })

  it('is raised once, also where the mark is damaged', async () => {
    await check()
    for (const text of [mark(), mark(), '{']) {
      writeFileSync(join(root, 'format.json'), text)
      await createFormatRaiser(createDiskFiles(root), ROWS_FORMAT)()
      expect(mark()).toBe('{"format":"logweir","version":2}\n')
      await check()
    }
  })

  it('keeps the highest version of raises at the same time', async () => {
    await check()
    const files = createDiskFiles(root)
    const raises = [VIEWS_FORMAT, ROWS_FORMAT, VIEWS_FORMAT].map((version) => createFormatRaiser(files, version))
    await Promise.all(raises.map((raise) => raise()))
    expect(mark()).toBe('{"format":"logweir","version":3}\n')
    await createFormatRaiser(files, ROWS_FORMAT)()
    expect(mark()).toBe('{"format":"logweir","version":3}\n')
    await check()
  })

  it('is refused where it is newer, and stays as it is', async () => {
    writeFileSync(join(root, 'format.json'), '{"format":"logweir","version":5}')
    await expect(check()).rejects.toMatchObject({
      code: 'newer_format',
      message:
        `The data directory ${root} has format 5, written by a newer logweir; ` +
        'this one reads up to 4. Use that version, or give another --data-dir.',
    })
    expect(mark()).toBe('{"format":"logweir","version":5}')
  })

  it.each([
    '',
    '{',
    '7',
    'null',
    '{"version":1}',
    '{"format":"logweir","version":"1"}',
    '{"format":"logweir","version":0}',
  ])('is refused where it is damaged: %s', async (text) => {
    writeFileSync(join(root, 'format.json'), text)
    await expect(check()).rejects.toMatchObject({
      code: 'damaged_format',
      message:
        `${root}/format.json is damaged. If the directory was written by this version, ` +
        'put {"format":"logweir","version":4} into it.',
    })
    expect(mark()).toBe(text)
  })
})
