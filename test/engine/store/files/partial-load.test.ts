import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeEnd, endBytes } from '../../../../src/arrow-ipc/file.js'
import { bytesOfColumn } from '../../../../src/engine/execute/columns/batch.js'
import { decodeAside } from '../../../../src/engine/store/files/column-aside.js'
import {
  loadMore,
  loadSegment,
  readSegmentFacts,
  writeSegment,
} from '../../../../src/engine/store/files/segment-file.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'
import { bufferBytes, sealedBatch } from '../support.js'
import { toFirstVersion } from './first-version.js'
import { createMemoryFiles } from './memory-files.js'
import { hotOf } from './segments.js'

/** Rows with enough text for a gram filter, in a file that is longer than the part read at the end. */
const requests = (count = 4000) =>
  Array.from({ length: count }, (_, i) =>
    edge({
      id: `${i}`,
      timestampUs: i * 1000 + (i % 7),
      project: i % 3 === 0 ? null : `p${i % 700}`,
      metadata: {
        request: { url: `https://${'u'.repeat(40)}${Math.imul(i, 2_654_435_761)}`, path: i % 5 === 0 ? '/rest' : '/x' },
        response: { status_code: i % 90 === 0 ? 1e6 + i : 200 + (i % 3) },
      },
    }),
  )

const calls = () => [1, 2, 3].map((i) => invocation({ metadata: { function_id: `f${i}`, execution_time_ms: i / 3 } }))

async function written(records: readonly TestRecord[], change = (file: Buffer) => file) {
  const files = createMemoryFiles()
  const sealed = await sealedBatch(records)
  await writeSegment(files, 's', sealed)
  files.contents.set('s/hot.arrow', change(files.contents.get('s/hot.arrow')!))
  const facts = await readSegmentFacts(files, 's')
  const reads: number[] = []
  const { openToRead } = files
  files.openToRead = async (path) => {
    const file = await openToRead(path)
    return { ...file, readAt: (at, target) => file.readAt(at, target).finally(() => reads.push(target.length)) }
  }
  const load = (...names: readonly string[]) => loadSegment(files, 's', facts, new Set(names))
  return { files, sealed, facts, reads, load }
}

/** Every combination of names. */
function subsetsOf(names: readonly string[]): string[][] {
  return Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_, i) => (bits >> i) & 1))
}

/** The same data with the checksum of each typed array instead of the numbers, which take long to compare. */
function checked(data: unknown): unknown {
  if (ArrayBuffer.isView(data)) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    return `${data.constructor.name} ${bytes.length} ${crc32(bytes)}`
  }
  if (data instanceof Map) return [...data].sort().map(checked)
  if (Array.isArray(data)) return data.map(checked)
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, checked(value)]))
}

describe.each([
  ['the version of now', (file: Buffer) => file],
  ['version 1', toFirstVersion],
])('of a file of %s', (_, change) => {
  it.each([
    ['edge_logs, a long file', requests],
    ['edge_logs, a short file', () => requests(20)],
    ['function_edge_logs', calls],
  ])('the named columns are loaded, and no others: %s', async (_, records) => {
    const { sealed, load } = await written(records(), change)
    for (const names of subsetsOf([...sealed.columns.keys()])) {
      const segment = await load(...names)
      const columns = new Map([...sealed.columns].filter(([name]) => names.includes(name)))
      const others = [...sealed.columns.keys()].filter((name) => !names.includes(name))
      const hotBytes = others.reduce((sum, name) => sum - bytesOfColumn(sealed.columns.get(name)!), sealed.hotBytes)
      expect(checked(hotOf(segment))).toEqual(checked({ ...hotOf(sealed), columns, hotBytes }))
      expect(bufferBytes([segment.times.offsets, segment.projects, segment.columns])).toBe(hotBytes)
    }
  })

  it('further columns are added, and those that are there stay as they are', async () => {
    const { files, sealed, load } = await written(requests(), change)
    for (const names of subsetsOf([...sealed.columns.keys()])) {
      const before = await load(...names)
      const rest = [...sealed.columns.keys()].filter((name) => !names.includes(name))
      const after = await loadMore(files, 's', before, new Set(rest))
      expect(checked(hotOf(after))).toEqual(checked(hotOf(sealed)))
      for (const name of names) expect(after.columns.get(name) === before.columns.get(name)).toBe(true)
      expect([...before.columns.keys()].sort()).toEqual(names.sort())
      expect([after.times === before.times, after.projects === before.projects]).toEqual([true, true])
    }
  })

  it('names that it does not have are passed over', async () => {
    const { load } = await written(requests(20), change)
    expect([...(await load('path', 'metadata', 'no.column', 'timestamp', 'project')).columns.keys()]).toEqual(['path'])
  })
})

it('a file of version 1 is checked as a whole, whichever columns are named', async () => {
  const { files, load } = await written(requests(), toFirstVersion)
  const file = files.contents.get('s/hot.arrow')!
  for (let at = 20; at < file.length - endBytes(file); at += 5_003) {
    file[at]! ^= 16
    await expect(load()).rejects.toMatchObject({
      code: 'damaged_segment',
      message: expect.stringContaining('its columns do not match the checksum in it'),
    })
    file[at]! ^= 16
  }
  expect((await load()).rows).toBe(4000)
})

describe('of a file on disk', () => {
  it('only the named columns are read, with few reads', async () => {
    const { files, reads, load } = await written(requests())
    const file = files.contents.get('s/hot.arrow')!
    const read = async (...names: readonly string[]) => {
      reads.length = 0
      await load(...names)
      return { calls: reads.length, bytes: reads.reduce((sum, bytes) => sum + bytes, 0) }
    }
    const [keys, path, url] = [await read(), await read('path'), await read('url')]
    const all = await read('url', 'path', 'status_code')
    expect(keys.bytes).toBeLessThan(file.length / 2)
    expect(path.bytes - keys.bytes).toBeLessThan(file.length / 8)
    expect(url.bytes - keys.bytes).toBeGreaterThan(file.length / 3)
    expect(all.bytes).toBeLessThan(1.5 * file.length)
    expect(Math.max(keys.calls, path.calls, url.calls, all.calls)).toBeLessThanOrEqual(4)
  })

  it('that is short everything is read at once', async () => {
    const { reads, load } = await written(requests(20))
    await load('url', 'path', 'status_code')
    expect(reads).toHaveLength(1)
  })
})

describe('damage of a column', () => {
  it('is an error where the column is read, and nowhere else', async () => {
    const { files, sealed, load } = await written(requests())
    const file = files.contents.get('s/hot.arrow')!
    const { schema, aside } = decodeEnd(file.subarray(-endBytes(file)))!
    const { message, columns } = decodeAside(aside)
    const own = [...sealed.columns.keys()]
    const pieces = columns.flatMap((of, i) => Object.values(of).map((piece) => ({ ...piece, i })))
    const expected = new Map([...sealed.columns].map(([name, column]) => [name, checked(column)]))
    let damages = 0
    for (const { offset, bytes, i } of [...pieces, { ...message, i: 0 }]) {
      for (const at of bytes === 0 ? [] : [offset, offset + (bytes >> 1), offset + bytes - 1]) {
        file[at]! ^= 1
        damages++
        const { name } = schema.fields[i]!
        for (const asked of [[], ...own.map((one) => [one]), own]) {
          if (asked.includes(name) || !own.includes(name)) {
            const what = i === 0 && offset === message.offset ? 'the message of its columns' : `its column ${name}`
            await expect(load(...asked)).rejects.toMatchObject({
              code: 'damaged_segment',
              message: expect.stringContaining(`${what} does not match its checksum`),
            })
          } else {
            const loaded = await load(...asked)
            for (const one of asked) expect(checked(loaded.columns.get(one))).toEqual(expected.get(one))
          }
        }
        file[at]! ^= 1
      }
    }
    // Times, projects with a dictionary, URLs with a dictionary and a filter, areas, status codes, four more columns
    // (one with a filter), the message.
    expect(damages).toBe(3 * 16)
    expect(files.open.count).toBe(0)
  })

  it('is found in every byte of the file that is read', async () => {
    const { files, sealed, load } = await written(requests())
    const file = files.contents.get('s/hot.arrow')!
    const { dictionaries } = decodeEnd(file.subarray(-endBytes(file)))!
    let [missed, tried] = [0, 0]
    for (let at = dictionaries[0]!.offset; at < file.length; at += 331) {
      file[at]! ^= 4
      tried++
      await load(...sealed.columns.keys()).then(
        () => missed++,
        (error) => expect(error).toMatchObject({ code: 'damaged_segment' }),
      )
      file[at]! ^= 4
    }
    // The marker between the batch and the filters is eight bytes, which only readers of streams look at.
    expect([missed <= 1, tried > 100]).toEqual([true, true])
  })
})
