import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isHelper, readFileVersions } from '../../src/user-endpoints/directory.js'

/** Creates a folder of files, given by path. Files with the same text have the same size and time. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-directory-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
    utimesSync(join(folder, name), 1e9, 1e9)
  }
  return folder
}

/** Replaces the file at `path` by a link, atomically, as `ln -s` and `mv -T` do. */
function link(target: string, path: string): void {
  symlinkSync(target, `${path}.new`)
  renameSync(`${path}.new`, path)
}

/** Returns the names with a version that a change changes, adds or removes. */
function changedBy(directory: string, change: () => void): string[] {
  const before = readFileVersions(directory)
  change()
  const after = readFileVersions(directory)
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort()
}

describe('the stamps of a directory', () => {
  it('name modules, their helpers, and .sql files', () => {
    const others = { '_b.sql': '', '.c.sql': '', 'd.sql.bak': '', 'e.ts': '', 'lib/f.sql': '' }
    const folder = folderWith({ 'a.sql': '', 'a.b.sql': '', 'a.mjs': '', '_h.js': '', ...others })
    expect([...readFileVersions(folder).keys()]).toEqual(['_h.js', 'a.b.sql', 'a.mjs', 'a.sql'])
  })

  it('change if a .sql file changes, or gets another target', () => {
    const folder = folderWith({ 'a.sql': 'select 1', '1/b.sql': 'x', '2/b.sql': 'y' })
    link('1/b.sql', join(folder, 'b.sql'))
    expect(changedBy(folder, () => writeFileSync(join(folder, 'a.sql'), 'select 12'))).toEqual(['a.sql'])
    expect(changedBy(folder, () => link('2/b.sql', join(folder, 'b.sql')))).toEqual(['b.sql'])
  })

  it('stay the same if nothing changes', () => {
    const folder = folderWith({ '1/a.js': '', '1/_h.js': '', '1/lib/x.js': '' })
    link('1', join(folder, 'current'))
    link('1/a.js', join(folder, 'b.js'))
    expect(changedBy(join(folder, 'current'), () => {})).toEqual([])
    expect(changedBy(folder, () => {})).toEqual([])
  })

  it('change if a module is a link that gets another target of the same size and time', () => {
    const folder = folderWith({ '1/a.js': 'x', '2/a.js': 'y', 'b.js': '' })
    link('1/a.js', join(folder, 'a.js'))
    expect(changedBy(folder, () => link('2/a.js', join(folder, 'a.js')))).toEqual(['a.js'])
  })

  it('change if a link on the way to a module gets another target', () => {
    const folder = folderWith({ '..1/a.js': 'x', '..2/a.js': 'y' })
    link('..1', join(folder, '..data'))
    link('..data/a.js', join(folder, 'a.js'))
    expect(changedBy(folder, () => link('..2', join(folder, '..data')))).toEqual(['a.js'])
  })

  const replaced =
    'change if the directory is a link that gets another target, ' +
    'even if the modules are hard links to the old ones'
  it(replaced, () => {
    const folder = folderWith({ '1/a.js': 'x' })
    mkdirSync(join(folder, '2'))
    linkSync(join(folder, '1/a.js'), join(folder, '2/a.js'))
    link('1', join(folder, 'current'))
    expect(changedBy(join(folder, 'current'), () => link('2', join(folder, 'current')))).toEqual(['a.js'])
  })

  it('change if a linked module has a helper next to its target, and only that one changes', () => {
    const folder = folderWith({ 'own/b.js': '', 'shared/a.js': '', 'shared/_h.js': 'x', 'shared/other.js': '' })
    link('../shared/a.js', join(folder, 'own/a.js'))
    const changed = changedBy(join(folder, 'own'), () => {
      writeFileSync(join(folder, 'shared/_h.js'), 'yy')
      writeFileSync(join(folder, 'shared/other.js'), 'no module of the directory')
    })
    expect(changed).toEqual([join(folder, 'shared/_h.js')])
    expect(changed.map(isHelper)).toEqual([true])
  })

  it('change if a linked sub-directory gets another target, as a helper does', () => {
    const folder = folderWith({ 'own/a.js': '', '1/x.js': '', '2/x.js': '' })
    link('../1', join(folder, 'own/lib'))
    const changed = changedBy(join(folder, 'own'), () => link('../2', join(folder, 'own/lib')))
    expect(changed).toEqual(['lib/'])
    expect(changed.map(isHelper)).toEqual([true])
  })

  it('name a link without a target, and change when it gets one', () => {
    const folder = folderWith({ '1/a.js': '' })
    link('1/a.js', join(folder, 'a.js'))
    const dangle = () => renameSync(join(folder, '1'), join(folder, '2'))
    expect(changedBy(folder, dangle)).toEqual(['a.js'])
    expect(readFileVersions(folder).get('a.js')).toBe('gone')
    expect(changedBy(folder, () => link('2/a.js', join(folder, 'a.js')))).toEqual(['a.js'])
  })
})
