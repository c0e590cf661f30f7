import { describe, expect, it } from 'vitest'
import type { Call, ModelFiles } from '../support/model-files.js'
import { mulberry32, type Random } from '../support/random.js'
import { partOf } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { check, lacking, repair, servedRows } from './checked.js'
import { type Contents, filesWith, makeSample } from './sample.js'

const seed = testSeed()
const random = mulberry32(seed)
const { contents, rows } = await makeSample(random, 1000)

const pathsOf = (pattern: RegExp) => [...contents.keys()].filter((path) => pattern.test(path))
const [journal] = pathsOf(/^journal\/postgres/) as [string]
const [otherJournal] = pathsOf(/^journal\/edge/) as [string]
const [cold, otherCold] = pathsOf(/cold\.arrow$/) as [string, string]

function changed(path: string, at: number): [string, Buffer] {
  const bytes = Buffer.from(contents.get(path)!)
  for (let byte = at; byte < at + 8; byte++) bytes[byte]! ^= 0x55
  return [path, bytes]
}

const moved = (path: string, from: string | RegExp, to: string): [string, Buffer] => [
  path.replace(from, to),
  contents.get(path)!,
]
const both = (path: string, from: string | RegExp, to: string) =>
  [path, path.replace('cold', 'hot')].map((one) => moved(one, from, to))

/** Directories in which each kind of repair is needed. */
const DAMAGED: readonly [what: string, added: readonly [string, Buffer][], removed?: readonly string[]][] = [
  ['a damaged frame', [changed(journal, 5000)]],
  [
    'a journal without headers',
    [changed(otherJournal, 0), [otherJournal, Buffer.from(contents.get(otherJournal)!).fill(1, 0, 4160)]],
  ],
  ['a damaged batch', [changed(cold, 3000)]],
  ['a damaged column and a damaged frame', [changed(cold.replace('cold', 'hot'), 3000), changed(journal, 9000)]],
  ['a segment without its cold file', [], [otherCold]],
  [
    'a copy of a segment, and of a journal',
    [...both(otherCold, /\d{8}-/, '00000077-'), moved(journal, /\d{8}/, '00000066')],
  ],
  ['a segment of another day', both(cold, /2026-11-\d\d/, '2026-10-01'), [cold, cold.replace('cold', 'hot')]],
  ['a journal of another source', [moved(journal, /[a-z_]+_logs/, 'auth_logs')], [journal]],
  [
    'leftovers, broken tokens and rejects',
    [
      ['format.json', Buffer.from('{')],
      ['tokens.json', Buffer.from('{"tok')],
      ['rejects.ndjson', Buffer.from('{"a":}\n{"b":1}\n')],
      [`${journal}.unfinished`, Buffer.from('a')],
    ],
  ],
]

const damagedBy = (added: readonly [string, Buffer][], removed: readonly string[] = []): Contents =>
  new Map([...[...contents].filter(([path]) => !removed.includes(path)), ...added])

const WRITING: readonly Call[] = [
  'makeDirectory',
  'openToWrite',
  'writeAt',
  'truncate',
  'sync',
  'rename',
  'remove',
  'syncDirectory',
]

/** Repairs a directory, and ends the process at change `n`. Returns whether there was such a change. */
async function dieAtChange(files: ModelFiles, n: number): Promise<boolean> {
  files.fail({ code: 'DIED', after: n, only: WRITING, share: n % 2 })
  return repair(files).then(
    () => false,
    () => true,
  )
}

const NEXT: readonly [string, (files: ModelFiles, random: Random) => ModelFiles][] = [
  ['is killed', (files) => files.restart()],
  ['loses power', (files) => files.cutPower(random)],
]

const excerpt = (lines: readonly string[]) => lines.slice(0, 2).map((line) => line.slice(0, 60))

describe.each(DAMAGED)(`a repair of %s (seed ${seed})`, (_, added, removed) => {
  const damaged = damagedBy(added, removed)

  it.each(NEXT)('loses and doubles nothing if the process %s at any change', async (_, next) => {
    const whole = filesWith(damaged)
    expect((await repair(whole)).done.length).toBeGreaterThan(0)
    const wanted = await servedRows(whole)
    expect(wanted.length).toBeGreaterThan(rows.length / 2)
    let changes = 0
    for (const every = partOf([1, 3], 2, 1)[0]!; ; changes += every) {
      const dying = filesWith(damaged)
      if (!(await dieAtChange(dying, changes))) break
      const files = next(dying, random)
      // A later process has another time.
      await repair(files, Date.UTC(2026, 10, 29) * 1000)
      expect((await check(files)).faults, `change ${changes}`).toEqual([])
      const served = await servedRows(files)
      expect([lacking(wanted, served), lacking(served, wanted)].map(excerpt), `change ${changes}`).toEqual([[], []])
    }
    expect(changes).toBeGreaterThan(2)
  })
})
