import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** The promises that docs/promises.md lists, each with an id, and `*` if slow tests show the promise at full size. */
const PROMISES = [...read('../docs/promises.md').matchAll(/^\| ([A-Z]\d+c?)( \*)? \|/gm)].map(([, id, star]) => ({
  id: id!,
  isSlow: star !== undefined,
}))

const FILES = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.test.ts'),
)

/** Each id that begins the title of a test or of a group of tests, once a file. */
const TITLES = FILES.flatMap((file) => {
  const ids = [...read(file).matchAll(/(?:\b(?:it|test|describe)\b[^'"`\n]*\(|^)\s*['"`]([A-Z]\d+c?): /gm)].map(
    ([, id]) => id!,
  )
  return [...new Set(ids)].map((id) => ({ id, isSlow: file.endsWith('.slow.test.ts') }))
})

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, file), 'utf8')
}

const ids = (listed: readonly { id: string; isSlow: boolean }[], isSlow: boolean) =>
  [...new Set(listed.filter((one) => one.isSlow === isSlow).map(({ id }) => id))].sort()

describe('the promises in docs/promises.md', () => {
  it('are many', () => {
    expect(PROMISES.length).toBeGreaterThan(40)
  })

  it('are shown by npm test, each by a test that is named by its id', () => {
    expect(ids(TITLES, false)).toEqual(
      PROMISES.map(({ id }) => id)
        .filter((id) => id !== 'M3')
        .sort(),
    )
  })

  it('are shown at full size by npm run test:slow where that takes long', () => {
    expect(ids(TITLES, true)).toEqual(ids(PROMISES, true))
  })
})
