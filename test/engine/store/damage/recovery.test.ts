import { describe, expect, it } from 'vitest'
import { createModelFiles, type ModelFiles } from '../../../support/model-files.js'
import { mulberry32 } from '../../../support/random.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import { type OpenPersistence, openPersistence, rowOf } from '../persistence/open-persistence.js'

const DAY_US = 86_400_000_000
const record = (number: number, day = 0) => edge({ id: `${number}`, timestampUs: day * DAY_US + number })
const sorted = (records: readonly TestRecord[]) => records.map(rowOf).sort()
const journal = (number: number, source = 'edge_logs') => `journal/${source}-0000000${number}.log`
const segment = (number: number, part = 0, day = 1, source = 'edge_logs') =>
  `segments/${source}/1970-01-0${day}/0000000${number}-${part}`

/** Fills a directory. Returns the files that a killed process leaves. */
async function filled(fill: (opened: OpenPersistence) => Promise<void>): Promise<ModelFiles> {
  const files = createModelFiles()
  const opened = await openPersistence(files)
  await fill(opened)
  return files.restart()
}

/** Starts once. Returns what was found, and the files for the next start. */
async function startOn(files: ModelFiles) {
  const opened = await openPersistence(files)
  await opened.store.settled()
  const found = { rows: await opened.rows(), damages: opened.damages, misplaced: opened.misplaced, torn: opened.torn }
  const bytes = opened.persistence.bytes()
  await opened.close()
  return { ...found, bytes, next: files.restart() }
}

function copy(files: ModelFiles, from: string, to: string): void {
  for (const path of files.paths().filter((one) => one.startsWith(from))) {
    files.put(to + path.slice(from.length), files.peek(path)!)
  }
}

function change(files: ModelFiles, path: string, edit: (bytes: Buffer) => Buffer | undefined): void {
  const bytes = files.peek(path)!
  files.put(path, edit(bytes) ?? bytes)
}

const RECORDS = [1, 2, 3, 4].map((number) => record(number))
const appendEach = async ({ append }: OpenPersistence, records = RECORDS) => {
  for (const one of records) await append(one)
}

describe('D4: a journal', () => {
  it.each<[string, (bytes: Buffer) => void]>([
    ['zeros', (bytes) => bytes.fill(0, 0, 4160)],
    ['ones', (bytes) => bytes.fill(255, 0, 4160)],
    [
      'one flipped bit in each copy of the header',
      (bytes) => bytes.writeUInt8(bytes[4100]! ^ 1, 4100) && bytes.writeUInt8(bytes[7]! ^ 1, 7),
    ],
    ['the first bytes of another journal', (bytes) => bytes.set(Buffer.alloc(64, 7), 0)],
    [
      'random bytes',
      (bytes) => void bytes.set(Buffer.from(Array.from({ length: 4160 }, (_, i) => Math.floor(mulberry32(i)() * 256)))),
    ],
  ])('that begins with %s gives its rows, which are sealed, and is kept', async (_, damage) => {
    const files = await filled(appendEach)
    change(files, journal(1), (bytes) => void damage(bytes))
    const first = await startOn(files)
    expect(first.rows).toEqual(sorted(RECORDS))
    expect(first.damages.length).toBeGreaterThan(0)
    const { next } = first
    expect(await next.list('journal')).toEqual(['edge_logs-00000001.log.damaged'])
    expect(first.bytes).toBe(await next.bytesBelow(''))
    const second = await startOn(next)
    expect([second.rows, second.damages]).toEqual([sorted(RECORDS), []])
    expect(second.misplaced).toEqual([`${journal(1)}.damaged is set aside`])
    // The journal, renamed back, replaces the segments that were made of the journal.
    await second.next.rename(`${journal(1)}.damaged`, journal(1))
    second.next.put(`${journal(1)}.damaged`, Buffer.from('another one'))
    const third = await startOn(second.next)
    expect([third.rows, third.damages.length > 0]).toEqual([sorted(RECORDS), true])
    // No damaged file replaces another damaged file.
    expect((await third.next.list('journal')).sort()).toEqual([
      'edge_logs-00000001.log.2.damaged',
      'edge_logs-00000001.log.damaged',
    ])
  })

  it.each([
    'EIO',
    'EISDIR',
    'ELOOP',
    'EACCES',
    'ENXIO',
    'EINVAL',
    'ENOTDIR',
    'EPERM',
  ])('that cannot be read with %s stays, hinders no other, and comes back when it can be read', async (code) => {
    const files = await filled(async (opened) => {
      await appendEach(opened)
      await opened.append(invocation({ id: 'x' }))
    })
    const before = files.peek(journal(1))!
    const state = files.restart()
    state.breakFile(journal(1), code)
    const opened = await openPersistence(state)
    expect(await opened.rows()).toEqual([rowOf(invocation({ id: 'x' }))])
    expect(opened.damages).toEqual([`${journal(1)} 0 ${before.length}`])
    expect(opened.persistence.bytes()).toBe(await state.bytesBelow('journal'))
    // New rows of the source go to a file of their own.
    await opened.append(record(9))
    await opened.store.sealAll()
    await opened.close()
    expect(state.peek(journal(1))!.equals(before)).toBe(true)
    const whole = createModelFiles()
    for (const path of state.paths()) whole.put(path, state.peek(path)!)
    expect((await startOn(whole)).rows).toEqual(sorted([...RECORDS, record(9), invocation({ id: 'x' })]))
  })

  it.each([
    'EMFILE',
    'ENFILE',
    'ENOMEM',
    'ENOSPC',
    'EROFS',
    'ESTALE',
  ])('is not damaged if the start fails with %s', async (code) => {
    const files = await filled(appendEach)
    for (const call of ['openToRead', 'readAt'] as const) {
      files.fail({ code, after: 0, forGood: true, only: [call] })
      await expect(openPersistence(files)).rejects.toMatchObject({ code })
    }
    files.heal()
    expect((await startOn(files)).rows).toEqual(sorted(RECORDS))
  })

  it('with the name of another source is named, and its rows come back when it has its name again', async () => {
    const files = await filled(appendEach)
    copy(files, journal(1), journal(5, 'auth_logs'))
    files.replace(journal(1), false)
    const first = await startOn(files)
    expect([first.rows, first.damages.length]).toEqual([[], 1])
    await first.next.rename(journal(5, 'auth_logs'), journal(1))
    expect((await startOn(first.next)).rows).toEqual(sorted(RECORDS))
  })

  it('whose first write was not completed is no damage, and its number is used again', async () => {
    const files = await filled(appendEach)
    for (const length of [0, 1, 6, 63, 64, 100, 4159]) {
      const torn = createModelFiles()
      torn.put(journal(1), files.peek(journal(1))!.subarray(0, length))
      const opened = await openPersistence(torn)
      expect([await opened.rows(), opened.damages, opened.torn.length]).toEqual([[], [], length === 0 ? 0 : 1])
      await opened.append(record(7))
      await opened.close()
      const { rows, misplaced, damages } = await startOn(torn.restart())
      expect([rows, misplaced, damages]).toEqual([sorted([record(7)]), [], []])
    }
  })
})

describe('a copy', () => {
  it('of a journal is shown once: the longest, also if it is damaged in the middle of a copy', async () => {
    const files = await filled(appendEach)
    for (const number of [3, 7]) {
      const twice = createModelFiles()
      copy(twice, '', '')
      twice.put(journal(5), files.peek(journal(1))!)
      twice.put(journal(number), files.peek(journal(1))!.subarray(0, -8))
      const { rows, misplaced, damages } = await startOn(twice)
      expect([rows, damages]).toEqual([sorted(RECORDS), []])
      expect(misplaced).toContain(`${journal(number)} copies ${journal(5)}`)
      expect(twice.has(journal(number))).toBe(true)
    }
  })

  it('of a journal whose rows were sealed is not shown, and deletes no segment', async () => {
    let bytes: Buffer
    const files = createModelFiles()
    const opened = await openPersistence(files)
    await appendEach(opened)
    bytes = files.peek(journal(1))!
    await opened.store.sealAll()
    await opened.append(record(9))
    await opened.store.sealAll()
    await opened.close()
    for (const number of [2, 3, 9]) {
      const next = createModelFiles()
      for (const path of files.paths()) next.put(path, files.peek(path)!)
      next.put(journal(number), bytes)
      const { rows, misplaced, damages } = await startOn(next)
      expect(rows, `number ${number}`).toEqual(sorted([...RECORDS, record(9)]))
      expect(misplaced.length + damages.length).toBeGreaterThan(0)
      expect(next.has(journal(number))).toBe(true)
    }
  })

  it('of a segment is shown once, whichever name it has', async () => {
    const files = await filled(async (opened) => {
      await appendEach(opened)
      await opened.store.sealAll()
      await opened.append(record(9))
      await opened.store.sealAll()
    })
    for (const name of [segment(5), segment(1, 1), segment(0)]) {
      const next = createModelFiles()
      for (const path of files.paths()) next.put(path, files.peek(path)!)
      copy(next, segment(1), name)
      const { rows, misplaced, bytes, next: after } = await startOn(next)
      expect(rows).toEqual(sorted([...RECORDS, record(9)]))
      expect(misplaced).toContain(`${name} copies ${segment(1)}`)
      expect(bytes).toBe(await after.bytesBelow(''))
    }
    for (const name of [segment(1, 0, 2), segment(1, 0, 1, 'auth_logs')]) {
      const next = createModelFiles()
      for (const path of files.paths()) next.put(path, files.peek(path)!)
      copy(next, segment(1), name)
      const { rows, damages } = await startOn(next)
      expect([rows, damages]).toEqual([sorted([...RECORDS, record(9)]), [name]])
    }
  })
})

describe('what is missing', () => {
  /** Four heads of two days. */
  const four = () =>
    filled(async (opened) => {
      await opened.append(record(0, 0))
      await opened.store.sealAll()
      for (let head = 2; head <= 4; head++) {
        await opened.append(record(head, 1), record(10 + head, 2))
        await opened.store.sealAll()
      }
    })

  it.each<[string, string[], string[]]>([
    ['nothing', [], []],
    ['a head', [segment(3, 0, 2), segment(3, 1, 3)], [journal(3)]],
    ['a segment of a head', [segment(3, 1, 3)], [segment(3, 1, 3)]],
    ['another segment of a head', [segment(4, 0, 2)], [segment(4, 0, 2)]],
    ['the oldest day, as retention deletes it', [segment(1, 0, 1)], []],
    ['a whole day, as the documentation permits', [segment(2, 1, 3), segment(3, 1, 3), segment(4, 1, 3)], []],
    ['the newest head, which cannot be told', [segment(4, 0, 2), segment(4, 1, 3)], []],
  ])('is named: %s', async (_, removed, missing) => {
    const files = await four()
    for (const path of removed) await files.remove(path)
    const { misplaced, damages } = await startOn(files)
    expect([misplaced, damages]).toEqual([missing.map((path) => `${path} is missing`), []])
  })

  it('is not named when retention or the limit of the disk has deleted it', async () => {
    const files = await four()
    const opened = await openPersistence(files)
    opened.store.drop(0, 'day')
    opened.store.drop(1, 'oldest segments')
    opened.store.drop(1, 'oldest segments')
    await opened.close()
    expect((await startOn(files.restart())).misplaced).toEqual([])
  })

  it('is a journal between others', async () => {
    const files = await filled(async ({ append }) => append(record(1)))
    const others = await filled(async ({ append }) => append(record(2)))
    files.put(journal(3), others.peek(journal(1))!)
    expect((await startOn(files)).misplaced).toEqual([`${journal(2)} is missing`])
  })
})

describe('D4: a head that has both a journal and segments, since the process was killed while it was sealed', () => {
  /** The journal and the segment of a head. */
  async function both(): Promise<ModelFiles> {
    const files = createModelFiles()
    const opened = await openPersistence(files)
    await appendEach(opened)
    const bytes = files.peek(journal(1))!
    await opened.store.sealAll()
    await opened.close()
    const next = files.restart()
    next.put(journal(1), bytes)
    return next
  }

  it.each<[string, (files: ModelFiles) => void]>([
    ['nothing', () => {}],
    ['the journal, by a flipped bit', (files) => change(files, journal(1), (bytes) => void (bytes[4300]! ^= 1))],
    ['the journal, at its start', (files) => change(files, journal(1), (bytes) => void bytes.fill(0, 0, 5000))],
    ['the end of the journal', (files) => change(files, journal(1), (bytes) => bytes.subarray(0, -100))],
    [
      'the end of the journal, by zeros',
      (files) => change(files, journal(1), (bytes) => void bytes.fill(0, bytes.length - 100)),
    ],
    ['the journal, all of it', (files) => change(files, journal(1), (bytes) => void bytes.fill(0))],
    ['the journal, by EIO', (files) => files.breakFile(journal(1), 'EIO')],
    ['a journal that is a folder', (files) => files.replace(journal(1), true)],
    ['the hot file', (files) => change(files, `${segment(1)}/hot.arrow`, (bytes) => bytes.subarray(0, -5))],
    ['the hot file, by EIO', (files) => files.breakFile(`${segment(1)}/hot.arrow`, 'EIO')],
    ['the cold file', (files) => files.replace(`${segment(1)}/cold.arrow`, false)],
  ])('has all rows if this is damaged: %s', async (_, damage) => {
    const files = await both()
    damage(files)
    const { rows, next } = await startOn(files)
    expect(rows).toEqual(sorted(RECORDS))
    const opened = await openPersistence(next)
    expect(await opened.rows()).toEqual(sorted(RECORDS))
    await opened.append(record(8))
    await opened.store.sealAll()
    await opened.close()
    expect((await startOn(next.restart())).rows).toEqual(sorted([...RECORDS, record(8)]))
  })
})
