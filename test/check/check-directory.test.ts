import { describe, expect, it } from 'vitest'
import { TEXT } from '../../src/check/findings/format.js'
import type { Files } from '../../src/engine/disk/files/files.js'
import { encodeHot } from '../../src/engine/store/files/hot-file.js'
import { loadSegment, readSegmentFacts } from '../../src/engine/store/files/segment-file.js'
import { addPathColumns } from '../support/path-columns.js'
import { mulberry32 } from '../support/random.js'
import { check, lacking, repair, servedRows } from './checked.js'
import { type Contents, filesWith, makeSample } from './sample.js'

const { contents, rows, units } = await makeSample(mulberry32(5), 1000)
const JOURNAL = 'journal/postgres_logs-00000001.log'
const SEGMENT = 'segments/edge_logs/2026-11-25/00000001-0'
const [HOT, COLD] = [`${SEGMENT}/hot.arrow`, `${SEGMENT}/cold.arrow`]
const bytesAt = (path: string) => contents.get(path)!
const frames = units.filter(({ path }) => path === JOURNAL)
const batches = units.filter(({ path }) => path === COLD)

const put = (path: string, bytes: Uint8Array | string): Contents => new Map(contents).set(path, Buffer.from(bytes))
const without = (...paths: string[]): Contents => new Map([...contents].filter(([path]) => !paths.includes(path)))

/** Returns the directory with some bytes of a file inverted. */
function inverted(path: string, from: number, to = from + 4): Contents {
  const bytes = Buffer.from(bytesAt(path))
  for (let at = from; at < to; at++) bytes[at]! ^= 0xff
  return put(path, bytes)
}

/** Returns the directory with the files of a segment or journal at another path too. */
function copied(from: string, to: string, all: Contents = contents): Contents {
  const copies = [...all].filter(([path]) => path === from || path.startsWith(`${from}/`))
  return new Map([...all, ...copies.map(([path, bytes]) => [path.replace(from, to), bytes] as const)])
}

function moved(from: string, to: string): Contents {
  return new Map([...copied(from, to)].filter(([path]) => path !== from && !path.startsWith(`${from}/`)))
}

/** Returns the printed lines, without the costs of times. */
const printed = async (given: Contents, isInUse = false) =>
  (await check(filesWith(given), isInUse)).findings.map((finding) =>
    TEXT.finding(finding)
      .trimEnd()
      .replace(/, from .*/, ''),
  )

const fault = (text: string) => [`fault: ${text}`]
const note = (text: string) => [`note: ${text}`]
const frame = (i: number) =>
  `${Math.ceil((frames[i]!.end - frames[i]!.start) / 8) * 8} bytes at offset ${frames[i]!.start}`
const batch = (i: number) => `batch ${i}, ${batches[i]!.end - batches[i]!.start} bytes at offset ${batches[i]!.start}`
const EDGE_ROWS = 'Costs 400 rows of edge_logs'
const NOT_READ = 'the service does not read a file or directory of this name'
const DOUBLED = 'so its rows are there twice. Costs'
const TORN = ', was not completely written, as after a kill: no row in it was visible'
const SEALED = 'its rows are in journal, since it was being sealed when the process ended'
const UNNEEDED = 'is damaged, and its frames are read without it'
const WRONG = 'do not match their checksum'
const UNKNOWN = 'Costs an unknown number of rows of'
const NOT_FOUND = `so the rows of the segment cannot be found. ${UNKNOWN} edge_logs`
const OTHER_DAY = `it has rows of edge_logs and of another day or source than its path. ${EDGE_ROWS}`
const last = frames.length - 1

/** Each damage, and the printed lines. */
const TABLE: [what: string, damaged: Contents, printed: string[]][] = [
  ['nothing', contents, []],
  [
    'a frame',
    inverted(JOURNAL, frames[1]!.start + 30),
    fault(`${JOURNAL}: ${frame(1)} do not match their checksum. Costs 40 rows of postgres_logs`),
  ],
  [
    'the header of a frame',
    inverted(JOURNAL, frames[1]!.start),
    fault(`${JOURNAL}: ${frame(1)} do not match their checksum. ${UNKNOWN} postgres_logs`),
  ],
  [
    'the last frame',
    inverted(JOURNAL, frames[last]!.end - 9),
    fault(`${JOURNAL}: ${frame(last)} do not match their checksum. Costs 40 rows of postgres_logs`),
  ],
  [
    'a copy of a header',
    inverted(JOURNAL, 4100),
    fault(`${JOURNAL}: a copy of its header, 64 bytes at offset 4096, ${UNNEEDED}. Costs no row`),
  ],
  [
    'both headers',
    new Map([...inverted(JOURNAL, 0, 4160)]),
    [0, 4096].flatMap((at) =>
      fault(`${JOURNAL}: a copy of its header, 64 bytes at offset ${at}, ${UNNEEDED}. Costs no row`),
    ),
  ],
  [
    'a torn end',
    put(JOURNAL, bytesAt(JOURNAL).subarray(0, frames[last]!.start + 100)),
    note(`${JOURNAL}: its last frame, 100 bytes at offset ${frames[last]!.start}${TORN}`),
  ],
  [
    'zeros at the end',
    put(JOURNAL, Buffer.concat([bytesAt(JOURNAL), Buffer.alloc(800)])),
    fault(`${JOURNAL}: 800 bytes at offset ${bytesAt(JOURNAL).length} ${WRONG}. ${UNKNOWN} postgres_logs`),
  ],
  [
    'a torn start',
    put(JOURNAL, bytesAt(JOURNAL).subarray(0, 200)),
    note(`${JOURNAL}: it ends in its header, as after a kill: it has no row`),
  ],
  ['an empty journal', put(JOURNAL, ''), []],
  [
    'bytes behind the end',
    put(JOURNAL, Buffer.concat([bytesAt(JOURNAL), Buffer.alloc(100, 7)])),
    fault(`${JOURNAL}: 100 bytes at offset ${bytesAt(JOURNAL).length} ${WRONG}. ${UNKNOWN} postgres_logs`),
  ],
  [
    'a batch',
    inverted(COLD, batches[1]!.start + 50),
    fault(`${COLD}: ${batch(1)}, does not match its checksum. Costs 16 rows of edge_logs`),
  ],
  [
    'the end of a cold file',
    inverted(COLD, bytesAt(COLD).length - 4),
    fault(`${COLD}: it does not end like an Arrow file. ${EDGE_ROWS}`),
  ],
  [
    'a cut cold file',
    put(COLD, bytesAt(COLD).subarray(0, 900)),
    fault(`${COLD}: it has 900 bytes instead of ${bytesAt(COLD).length}. ${EDGE_ROWS}`),
  ],
  ['a missing cold file', without(COLD), fault(`${COLD}: it does not exist. ${EDGE_ROWS}`)],
  ['a missing hot file', without(HOT), fault(`${HOT}: it does not exist, ${NOT_FOUND}`)],
  [
    'a cut hot file',
    put(HOT, bytesAt(HOT).subarray(0, -3)),
    fault(`${HOT}: it does not end like an Arrow file, ${NOT_FOUND}`),
  ],
  [
    'the cold file of another segment',
    put(COLD, bytesAt(COLD.replace('edge_logs', 'function_edge_logs'))),
    fault(`${COLD}: it belongs to another segment. ${EDGE_ROWS}`),
  ],
  [
    'a segment of another day',
    moved(SEGMENT, SEGMENT.replace('11-25', '11-24')),
    fault(`${SEGMENT.replace('11-25', '11-24')}: ${OTHER_DAY}`),
  ],
  [
    'a segment of another source',
    moved(SEGMENT, SEGMENT.replace('edge', 'auth')),
    fault(`${SEGMENT.replace('edge', 'auth')}: ${OTHER_DAY}`),
  ],
  [
    'a segment of no source',
    moved(SEGMENT, SEGMENT.replace('edge_logs', 'Nginx')),
    fault(`${SEGMENT.replace('edge_logs', 'Nginx')}: it is a segment, and ${NOT_READ}. ${EDGE_ROWS}`),
  ],
  [
    'a segment above its day',
    moved(SEGMENT, 'segments/edge_logs/a'),
    fault(`segments/edge_logs/a: it is a segment, and ${NOT_READ}. ${EDGE_ROWS}`),
  ],
  [
    'a short number',
    moved(SEGMENT, SEGMENT.replace('0000', '')),
    fault(`${SEGMENT.replace('0000', '')}: the service writes its name with eight digits. Costs no row`),
  ],
  [
    'a copy of a segment',
    copied(SEGMENT, SEGMENT.replace('1-0', '7-0')),
    fault(`${SEGMENT.replace('1-0', '7-0')}: it is a copy of ${SEGMENT}, ${DOUBLED} 400 rows that are doubled`),
  ],
  [
    'a journal of another source',
    moved(JOURNAL, 'journal/auth_logs-00000001.log'),
    fault('journal/auth_logs-00000001.log: its rows are of postgres_logs. Costs 200 rows of postgres_logs'),
  ],
  [
    'a copy of a journal',
    copied(JOURNAL, JOURNAL.replace('1.', '9.')),
    fault(`${JOURNAL.replace('1.', '9.')}: it is a copy of ${JOURNAL}, ${DOUBLED} 200 rows that are doubled`),
  ],
  [
    'a renamed journal',
    moved(JOURNAL, `${JOURNAL}.bak`),
    fault(`${JOURNAL}.bak: it is a journal, and ${NOT_READ}. Costs 200 rows of postgres_logs`),
  ],
  ['other files', put('journal/notes.txt', 'a'), note(`journal/notes.txt: ${NOT_READ}`)],
  [
    'another top-level file',
    put('lost+found', 'a'),
    note('lost+found: no file of the service has this name, and it is not read'),
  ],
  [
    'a sealed head with its journal',
    copied(SEGMENT, 'segments/postgres_logs/2026-11-25/00000001-0'),
    note(`segments/postgres_logs/2026-11-25/00000001-0: ${SEALED}: the next start deletes it`),
  ],
  [
    'an unfinished segment',
    put(`${SEGMENT}9.unfinished/hot.arrow`, 'a'),
    note(`${SEGMENT}9.unfinished: a process left it unfinished when it ended, and it is not read`),
  ],
  [
    'an unfinished compaction',
    put(`${COLD}.unfinished`, 'a'),
    note(`${COLD}.unfinished: it was being written when its process ended, and is not read`),
  ],
  ['no format file', without('format.json'), fault('format.json: it is missing. Costs no row')],
  [
    'a broken format file',
    put('format.json', '{"form'),
    fault('format.json: it does not say a format. Costs the next start, which is refused'),
  ],
  [
    'broken tokens',
    put('tokens.json', '{"tokens":'),
    fault(
      'tokens.json: is not of the form {"tokens":[…]}, in JSON. Correct or remove it. Costs the access tokens in it',
    ),
  ],
  [
    'no tokens',
    put('tokens.json', ''),
    fault('tokens.json: holds no token. Write one on a line of its own. Costs the access tokens in it'),
  ],
  [
    'broken times of rows',
    put('retention.json', '{"checksum":"00000000","times":{}}'),
    fault('retention.json: its checksum does not match. Costs former times: a longer time may show rows again'),
  ],
  [
    'zeros as token',
    put('token', Buffer.alloc(40)),
    fault('token: it holds NUL characters. Costs the access tokens in it'),
  ],
  [
    'a rejected line',
    put('rejects.ndjson', '{"line":1,"reaso\n{"line":2}\n{"line"\u0000:3}\n'),
    fault('rejects.ndjson: a line, 11 bytes at offset 28, is no rejected line. Costs a rejected line'),
  ],
  ['a torn rejected line', put('rejects.ndjson', '{"line":1}\n{"line":2,"re'), []],
  [
    'an unconfirmed journal',
    put('unconfirmed/5-postgres_logs.log', bytesAt(JOURNAL)),
    fault(`unconfirmed/5-postgres_logs.log: it is a copy of ${JOURNAL}, ${DOUBLED} 200 rows that are doubled`),
  ],
]

describe('a check finds', () => {
  it.each(TABLE)('%s', async (_, damaged, wanted) => {
    expect(await printed(damaged)).toEqual(wanted)
  })

  it.each(TABLE)('%s, and a repair leaves nothing of it', async (_, damaged) => {
    const files = filesWith(damaged)
    await repair(files)
    const { faults, findings } = await check(files)
    expect(faults).toEqual([])
    expect(findings.filter(({ code }) => code === 'leftover')).toEqual([])
    expect(lacking(await servedRows(files), rows)).toEqual([])
  })

  it('a segment that was deleted, if another part of the head exists, or a later head and an older day', async () => {
    const { contents: larger } = await makeSample(mulberry32(5))
    const day = 'segments/edge_logs/2026-11-25'
    const notedWithout = async (place: string, isInUse = false) => {
      const left = new Map([...larger].filter(([path]) => !path.startsWith(place)))
      return (await check(filesWith(left), isInUse)).findings.map(({ level, code, path }) => `${level} ${code} ${path}`)
    }
    expect(await notedWithout(`${day}/00000001-1/`)).toEqual([`note missing ${day}/00000001-1`])
    expect(await notedWithout(`${day}/00000002-0/`)).toEqual(['note missing journal/edge_logs-00000002.log'])
    expect(await notedWithout('segments/edge_logs/2026-11-24/')).toEqual([])
    expect(await notedWithout(`${day}/00000001-1/`, true)).toEqual([])
  })

  it('the time range and the batch of what is lost', async () => {
    const { faults } = await check(filesWith(inverted(COLD, batches[1]!.start + 50)))
    const times = batches[1]!.rows.map((row) => Number(row.split(' ')[0]))
    expect(faults[0]!.cost).toEqual({
      source: 'edge_logs',
      rows: 16,
      fromUs: Math.min(...times),
      throughUs: Math.max(...times),
    })
  })

  it('rows that are not sorted, although all checksums are right', async () => {
    const files = filesWith(contents)
    const facts = await readSegmentFacts(files, SEGMENT)
    const segment = await loadSegment(files, SEGMENT, facts)
    const { fileBytes: _, ...stored } = facts
    const encode = async (offsets: typeof segment.times.offsets, more = {}) =>
      printed(
        put(
          HOT,
          Buffer.concat(await encodeHot({ ...segment, times: { ...segment.times, offsets } }, { ...stored, ...more })),
        ),
      )
    expect(await encode(segment.times.offsets)).toEqual([])
    const swapped = segment.times.offsets.slice()
    const start = segment.projects.starts.at(-2)!
    ;[swapped[start], swapped[start + 1]] = [swapped[start + 1]!, swapped[start]!]
    expect(await encode(swapped)).toEqual(fault(`${HOT}: row ${start + 1} is not sorted by time. ${EDGE_ROWS}`))
    const other = fault(`${HOT}: its first or last time is another one than it says. ${EDGE_ROWS}`)
    expect(await encode(segment.times.offsets, { maxUs: facts.maxUs + 1 })).toEqual(other)
    expect(await encode(segment.times.offsets, { rows: 399 })).not.toEqual([])
  })

  it('which side of an unfinished seal has more rows, if the journal is damaged', async () => {
    const journal = 'journal/edge_logs-00000001.log'
    const bytes = Buffer.from(bytesAt('journal/edge_logs-00000002.log'))
    bytes[4200]! ^= 1
    const files = filesWith(new Map([...without('journal/edge_logs-00000002.log'), [journal, bytes]]))
    const { findings } = await check(files)
    expect(findings.map(({ level, path }) => [level, path])).toEqual([
      ['fault', journal],
      ['note', journal],
    ])
    await repair(files)
    expect((await check(files)).faults).toEqual([])
    // All rows of the segment are there, and the journal with fewer rows is kept.
    expect(
      lacking(
        units.filter(({ path }) => path === COLD).flatMap((unit) => unit.rows),
        await servedRows(files),
      ),
    ).toEqual([])
    const sealed = copied(SEGMENT, SEGMENT.replace('edge', 'postgres'), inverted(JOURNAL, frames[1]!.start + 30))
    const less = new Map(
      [...sealed].filter(([path]) => !path.startsWith('segments/postgres_logs') || path.endsWith('hot.arrow')),
    )
    const other = filesWith(less)
    await repair(other)
    expect((await check(other)).faults).toEqual([])
    expect((await servedRows(other)).length).toBe(rows.length - 40)
  })

  it('path columns, which cost no row: repaired, they are made again by the service', async () => {
    const files = filesWith(contents)
    await addPathColumns(files)
    expect((await check(files)).findings).toEqual([])
    const [path] = files.paths().filter((name) => name === `${SEGMENT}/paths.arrow`)
    const bytes = Buffer.from(files.peek(path!)!)
    bytes[bytes.length >> 1]! ^= 1
    files.put(path!, bytes)
    const { findings, done } = await repair(files)
    expect(findings.map(({ level, code, cost }) => ({ level, code, cost }))).toEqual([
      { level: 'fault', code: 'damaged_path_columns', cost: { instead: 'no row' } },
    ])
    expect(done).toEqual([expect.stringContaining(path!)])
    expect((await check(files)).faults).toEqual([])
    expect(files.peek(path!)).toBeUndefined()
    expect(lacking(rows, await servedRows(files))).toEqual([])
  })

  it('what a start has set aside, which stays', async () => {
    for (const path of [`${JOURNAL}.damaged`, `${JOURNAL}.gone`, `${SEGMENT}.damaged/hot.arrow`]) {
      const files = filesWith(put(path, bytesAt(path.startsWith('journal') ? JOURNAL : HOT)))
      const { findings } = await repair(files)
      expect(findings.map(({ code }) => code)).toEqual(['set_aside'])
      expect(files.peek(path)).toBeDefined()
    }
  })

  it('no leftovers of a service that has the directory', async () => {
    const unfinished = put(`${SEGMENT}9.unfinished/hot.arrow`, 'a')
    expect(await printed(unfinished, true)).toEqual([])
    expect(await printed(copied(SEGMENT, 'segments/postgres_logs/2026-11-25/00000001-0'), true)).toEqual([])
  })
})

describe('a repair of a damaged segment', () => {
  const served = async (damaged: Contents) => {
    const files = filesWith(damaged)
    await repair(files)
    return lacking(rows, await servedRows(files))
  }

  it('keeps the rows of its other batches', async () => {
    expect((await served(inverted(COLD, batches[1]!.start + 50))).sort()).toEqual([...batches[1]!.rows].sort())
    expect((await served(inverted(COLD, batches[0]!.start + 50))).sort()).toEqual([...batches[0]!.rows].sort())
  })

  it('keeps all rows if a column is damaged that is read from the metadata instead', async () => {
    const bytes = bytesAt(HOT)
    const lost = new Map<string, number>()
    for (let at = 0; at < bytes.length; at += 150) {
      const [found] = (await check(filesWith(inverted(HOT, at)))).faults
      const [, column] = /its column (\S+) does/.exec(found?.what ?? '') ?? []
      if (column !== undefined && !lost.has(column)) lost.set(column, (await served(inverted(HOT, at))).length)
    }
    expect(lost.size).toBeGreaterThan(3)
    const kept = ['status_code', 'request.method', 'request.path', 'request.headers.user_agent', 'response.origin_time']
    for (const [column, count] of lost) expect([column, count]).toEqual([column, kept.includes(column) ? 0 : 400])
  })
})

describe('a check next to a service', () => {
  /** Returns files of which the first read of a path shows other bytes. */
  function changing(path: string, first: Buffer, then: (files: ReturnType<typeof filesWith>) => Promise<void>): Files {
    const files = filesWith(contents)
    let isFirst = true
    return {
      ...files,
      async openToRead(one) {
        if (one !== path || !isFirst) return files.openToRead(one)
        isFirst = false
        await then(files)
        return filesWith(new Map([[path, first]])).openToRead(path)
      },
    }
  }
  const broken = Buffer.from(bytesAt(COLD)).fill(9, 600, 700)

  it.each<[string, Parameters<typeof changing>[2]]>([
    ['replaced', async () => {}],
    ['deleted', (files) => files.rename(SEGMENT, `${SEGMENT}.gone`)],
    ['compacted away and deleted', async (files) => files.remove(SEGMENT)],
  ])('reads a segment again that was %s', async (_, then) => {
    expect((await check(changing(COLD, broken, then), true)).findings).toEqual([])
  })

  it('takes the frame that is being written for no leftover of a kill', async () => {
    const torn = bytesAt(JOURNAL).subarray(0, frames[last]!.start + 70)
    expect((await check(filesWith(put(JOURNAL, torn)), true)).findings).toEqual([])
    expect((await check(filesWith(put(JOURNAL, torn)))).findings.map(({ code }) => code)).toEqual(['torn_end'])
  })

  it('reads a journal again that has grown, or was sealed and deleted', async () => {
    const torn = bytesAt(JOURNAL).subarray(0, frames[last]!.start + 70)
    expect(
      (
        await check(
          changing(JOURNAL, torn, async () => {}),
          true,
        )
      ).faults,
    ).toEqual([])
    const short = Buffer.from(bytesAt(JOURNAL)).fill(3, 5000, 6000)
    expect(
      (
        await check(
          changing(JOURNAL, short, (files) => files.remove(JOURNAL)),
          true,
        )
      ).findings,
    ).toEqual([])
  })

  it('reports what stays damaged', async () => {
    const { faults } = await check(filesWith(put(COLD, broken)), true)
    expect(faults.map(({ code }) => code)).toEqual(['damaged_batch'])
  })
})
