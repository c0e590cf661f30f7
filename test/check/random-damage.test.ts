import { describe, expect, it } from 'vitest'
import { mulberry32 } from '../support/random.js'
import { costlyRuns } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { check, lacking, repair, servedRows } from './checked.js'
import { type Damage, damage, withUnreadable } from './damages.js'
import { type Contents, filesWith, makeSample, type Sample, type Unit } from './sample.js'

const seed = testSeed()
const random = mulberry32(seed)
const sample = await makeSample(random)

/** Returns the rows whose bytes and places have not changed. */
function intactRows({ contents: before, units }: Sample, { contents, unreadable }: Damage): string[] {
  const isSame = (path: string, from: number, to: number) => {
    const isRead = unreadable?.path !== path || unreadable.to <= from || unreadable.from >= to
    const after = contents.get(path)
    return isRead && after !== undefined && before.get(path)!.subarray(from, to).equals(after.subarray(from, to))
  }
  const isWhole = (path: string) =>
    isSame(path, 0, before.get(path)!.length) && contents.get(path)!.length === before.get(path)!.length
  return units.flatMap(({ path, start, end, rows }) => {
    const isJournal = path.startsWith('journal/')
    const needs = isJournal
      ? isSame(path, 0, 64) || isSame(path, 4096, 4160)
      : isWhole(path.replace('cold', 'hot')) &&
        isSame(path, endOfBatches(path, units), before.get(path)!.length) &&
        contents.get(path)!.length === before.get(path)!.length
    return needs && isSame(path, start, end) ? rows : []
  })
}

const endOfBatches = (path: string, units: readonly Unit[]) =>
  Math.max(...units.filter((unit) => unit.path === path).map(({ end }) => end))

const excerpt = (rows: readonly string[]) => rows.slice(0, 3).map((row) => row.slice(0, 60))

describe('the sample', () => {
  it('is intact, has segments of several batches, and journals', async () => {
    const files = filesWith(sample.contents)
    const { findings, totals } = await check(files)
    expect(findings).toEqual([])
    expect(totals.rows).toBe(sample.rows.length)
    expect(totals.files).toBe(sample.contents.size)
    const served = await servedRows(files)
    expect([lacking(served, sample.rows), lacking(sample.rows, served)].map(excerpt)).toEqual([[], []])
    const inUnits = sample.units.flatMap(({ rows }) => rows)
    expect([lacking(inUnits, sample.rows), lacking(sample.rows, inUnits)].map(excerpt)).toEqual([[], []])
    expect(sample.units.filter(({ path }) => path.endsWith('cold.arrow')).length).toBeGreaterThan(4)
    expect(sample.units.filter(({ path }) => path.startsWith('journal/')).length).toBeGreaterThan(5)
  })
})

/** Whether a service would return other rows than before. */
async function isHarmful(contents: Contents): Promise<boolean> {
  const rows = await servedRows(filesWith(contents)).catch(() => undefined)
  return rows === undefined || lacking(sample.rows, rows).length + lacking(rows, sample.rows).length > 0
}

/** Checks and repairs a damaged directory. Throws with the number of the run if something is wrong. */
async function tryDamage(damaged: Damage): Promise<void> {
  const model = filesWith(damaged.contents)
  const files = withUnreadable(model, damaged.unreadable)
  const { faults, findings } = await check(files)
  const isFound = faults.length > 0 || findings.some(({ code }) => code === 'missing')
  if (!isFound && !damaged.isDocumented) expect(await isHarmful(damaged.contents), 'not found').toBe(false)
  const repaired = await repair(files)
  expect((await check(files)).faults, 'not repaired').toEqual([])
  expect(repaired.totals.faults).toBe(0)
  const rows = await servedRows(model)
  expect(excerpt(lacking(intactRows(sample, damaged), rows)), 'lost').toEqual([])
  expect(excerpt(lacking(rows, sample.rows)), 'added').toEqual([])
  expect(repaired.totals.rows).toBe(rows.length)
}

describe(`random damage (seed ${seed})`, () => {
  it('is found if it changes anything, and --repair loses no intact row and leaves nothing to find', async () => {
    console.log(`check seed ${seed}`)
    const failures: string[] = []
    for (let run = 0; run < costlyRuns(1000); run++) {
      const damaged = damage(sample.contents, random)
      await tryDamage(damaged).catch((error) => failures.push(`run ${run}: ${damaged.name}: ${error.message}`))
    }
    expect(failures, `seed ${seed}`).toEqual([])
  })
})
