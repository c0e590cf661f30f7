import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { Context } from '../src/commands/call/command.js'
import { version } from '../src/commands/version.js'

const textOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const packageVersion: string = JSON.parse(textOf('package.json')).version

/** The headings of the changelog's sections, newest first. */
const SECTIONS = [...textOf('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!)
const RELEASE = /^(\d+\.\d+\.\d+) – (\d{4}-\d\d-\d\d)$/

describe('the version', () => {
  it('is printed by `logweir version`, as in package.json', async () => {
    const stdout = new PassThrough()
    const context = { environment: {}, stdout } as unknown as Context
    expect(await version.run([], context)).toBe(0)
    stdout.end()
    const lines = (await text(stdout)).split('\n')
    expect(lines[0]).toBe(packageVersion)
    expect(lines.slice(1).map((line) => line.split(/ +/)[0])).toEqual(['node', 'pattern', 'zstd', 'crc32', ''])
    expect(lines[1]).toBe(`node     ${process.version}`)
  })

  it('is the newest release of the changelog, which has a date', () => {
    const [unreleased, ...releases] = SECTIONS
    expect(unreleased).toBe('Unreleased')
    expect(releases.filter((heading) => !RELEASE.test(heading))).toEqual([])
    const [newest, date] = RELEASE.exec(releases[0]!)!.slice(1)
    expect(newest).toBe(packageVersion)
    expect(new Date(date!).toISOString().slice(0, 10)).toBe(date)
  })
})
