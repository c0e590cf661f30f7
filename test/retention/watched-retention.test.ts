import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_US, HOUR_US, MINUTE_US } from '../../src/base/units.js'
import { type Files, writeFile } from '../../src/engine/disk/files/files.js'
import { createMemoryFiles } from '../../src/engine/disk/files/memory-files.js'
import { sharedLimits } from '../../src/retention/row-limits.js'
import { storedLimits, writeStored } from '../../src/retention/stored-retention.js'
import { type WatchedRetention, watchRetention } from '../../src/retention/watched-retention.js'
import { createFakeClock, type FakeClock } from '../support/clock.js'

const MOST_US = 90 * DAY_US
const SOURCE = 'edge_logs'

let directory: string
let path: string
let clock: FakeClock
let files: Files
let logged: string[]
let opened: WatchedRetention | undefined

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'logweir-retention-'))
  path = join(directory, 'retention.toml')
  clock = createFakeClock()
  files = createMemoryFiles()
  logged = []
})

afterEach(async () => {
  await opened?.close()
  opened = undefined
  rmSync(directory, { recursive: true })
})

async function open(text?: string): Promise<WatchedRetention> {
  await opened?.close()
  if (text !== undefined) writeFileSync(path, text)
  opened = (await watchRetention({
    path: text === undefined ? undefined : path,
    mostUs: MOST_US,
    files,
    clock,
    log: (message) => logged.push(message),
  }))!
  return opened
}

/** Writes the file, and waits until it is read or refused. */
async function change(text: string): Promise<void> {
  const { revision } = opened!
  const before = logged.length
  writeFileSync(path, text)
  clock.advance(1_000)
  await vi.waitFor(() => expect(logged.length).toBeGreaterThan(before))
  if (logged.at(-1)!.startsWith('retention file')) await vi.waitFor(() => expect(opened!.revision).toBe(revision + 1))
}

/** Lets minutes of running time pass, and the work of each finish. */
async function pass(minutes: number): Promise<void> {
  for (let i = 0; i < minutes; i++) {
    clock.advance(60_000)
    for (let j = 0; j < 20; j++) await Promise.resolve()
  }
}

/** How long before now the newest hidden row of a project is, in days. */
const hiddenDays = (project?: string, limits: Pick<WatchedRetention, 'hiddenThroughUs'> = opened!) =>
  (clock.nowUs() - limits.hiddenThroughUs(SOURCE, project, clock.nowUs())) / DAY_US

describe('the retention of a service', () => {
  it('is not there without a file, and without former times', async () => {
    expect(await open()).toBeUndefined()
    expect(await storedLimits(files)).toBeUndefined()
  })

  it('follows the file, and keeps hidden what a longer time would show', async () => {
    await open('default = "1d"')
    expect(hiddenDays('a')).toBe(1)
    await change('default = "1d"\n[projects]\na = "7d"')
    expect(hiddenDays('a')).toBeCloseTo(1, 6)
    clock.setNowUs(clock.nowUs() + 3 * DAY_US)
    expect(hiddenDays('a')).toBeCloseTo(4, 6)
    expect(hiddenDays('b')).toBe(1)
    clock.setNowUs(clock.nowUs() + 30 * DAY_US)
    expect(hiddenDays('a')).toBe(7)
  })

  it('tells threads and other commands the same', async () => {
    await open('[tiers]\nfree = "2d"\n[projects]\na = "free"')
    const heard = vi.fn()
    opened!.onChange(heard)
    await change('[tiers]\nfree = "5d"\n[projects]\na = "free"')
    expect(heard).toHaveBeenCalledOnce()
    clock.setNowUs(clock.nowUs() + DAY_US)
    for (const limits of [sharedLimits(opened!.shared()), (await storedLimits(files))!, opened!]) {
      expect(hiddenDays('a', limits)).toBeCloseTo(3, 6)
      expect(hiddenDays('b', limits)).toBe(90)
    }
  })

  it('notices that the file has changed while the service was stopped, or is no longer given', async () => {
    await open('default = "1d"')
    await open('default = "9d"')
    expect(hiddenDays()).toBeCloseTo(1, 6)
    clock.setNowUs(clock.nowUs() + 2 * DAY_US)
    await open()
    expect(hiddenDays()).toBeCloseTo(3, 6)
    clock.setNowUs(clock.nowUs() + 200 * DAY_US)
    expect(hiddenDays()).toBe(90)
  })

  it('keeps the former times if the changed file is wrong, and says why', async () => {
    await open('default = "1d"')
    await change('default = "1x"')
    expect(logged.at(-1)).toBe(
      'the retention file has changed and cannot be used; the previous times stay in force. ' +
        `${path} line 1: default is not a time of at least 1m. Write "90d" or "12h"; units m, h, d; in quotes.`,
    )
    expect(hiddenDays()).toBe(1)
    await change('default = "2d"')
    expect(hiddenDays()).toBeCloseTo(1, 6)
  })

  it('warns of a source that is not there', async () => {
    await open('[sources]\nedge_log = "7d"')
    expect(logged.at(-1)).toBe(`${path}: sources: there is no source edge_log yet. Did you mean edge_logs?`)
  })

  it('removes nothing for an hour, and nothing that a wrong file of the last hour hides', async () => {
    await open('default = "9d"')
    const removableDays = (settledUs: number) =>
      (clock.nowUs() - opened!.removableThroughUs(SOURCE, 'a', settledUs)) / DAY_US
    expect(removableDays(Number.NEGATIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
    await change('default = "1d"')
    expect(removableDays(clock.nowUs() - HOUR_US)).toBeCloseTo(9 + 1 / 24, 6)
    const settledUs = clock.nowUs()
    clock.setNowUs(clock.nowUs() + HOUR_US)
    expect(removableDays(settledUs)).toBeCloseTo(1 + 1 / 24, 6)
  })

  it('sets a damaged file of former times aside', async () => {
    await open('default = "1d"')
    await opened!.close()
    const file = await files.openToRead('retention.json')
    const bytes = Buffer.alloc(file.bytes)
    await file.readAt(0, bytes)
    // A digit of a time.
    bytes[bytes.indexOf('8640') + 1]! ^= 1
    await writeFile(files, 'retention.json', [bytes])
    logged = []
    await expect(storedLimits(files)).rejects.toThrow('retention.json in the data directory is damaged.')
    await open('default = "1d"')
    expect(logged[0]).toBe(
      'former times of rows are lost: retention.json was damaged, and is now retention.json.damaged',
    )
    expect(await files.list('')).toEqual(expect.arrayContaining(['retention.json', 'retention.json.damaged']))
  })

  it('refuses the file of a newer version', async () => {
    await writeStored(files, Buffer.from('{"format":"logweir retention","version":2}'))
    await expect(open('default = "1d"')).rejects.toThrow('retention.json was written by a newer version of logweir.')
  })
})

describe('a clock that jumps ahead', () => {
  it('hides rows, and shows all again when it is set back', async () => {
    await open('default = "30d"')
    const nowUs = clock.nowUs()
    clock.setNowUs(nowUs + 40 * DAY_US)
    expect(opened!.hiddenThroughUs(SOURCE, 'a', clock.nowUs())).toBe(nowUs + 10 * DAY_US)
    await pass(30)
    clock.setNowUs(nowUs)
    expect(hiddenDays('a')).toBe(30)
    expect(hiddenDays('a', (await storedLimits(files))!)).toBe(30)
  })

  it('takes no time from a limit that became longer while it was ahead', async () => {
    await open('default = "1d"')
    const nowUs = clock.nowUs()
    clock.setNowUs(nowUs + 40 * DAY_US)
    await change('default = "60d"')
    clock.setNowUs(nowUs)
    // Rows of the last day, which the former time has not hidden before the jump.
    expect(hiddenDays()).toBe(1)
    await pass(62)
    clock.setNowUs(nowUs + 41 * DAY_US)
    expect(opened!.hiddenThroughUs(SOURCE, 'a', clock.nowUs()) - (nowUs - DAY_US)).toBeLessThan(2 * MINUTE_US)
  })

  it('forgets no former time before it is set back', async () => {
    await open('default = "1d"')
    await change('default = "60d"')
    const nowUs = clock.nowUs()
    clock.setNowUs(nowUs + 200 * DAY_US)
    await pass(59)
    clock.setNowUs(nowUs)
    expect(hiddenDays()).toBeCloseTo(1, 6)
    clock.setNowUs(nowUs + 200 * DAY_US)
    await pass(70)
    clock.setNowUs(nowUs)
    expect(hiddenDays()).toBe(60)
  })
})
