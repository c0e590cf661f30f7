import { tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { encodeFrame, PAYLOAD_LIMIT_BYTES } from '../../../../src/engine/disk/journal/frame.js'
import { FRAMES_START } from '../../../../src/engine/disk/journal/header.js'
import { recoverJournal } from '../../../../src/engine/disk/journal/recover.js'
import { continueJournal, createJournal } from '../../../../src/engine/disk/journal/writer.js'
import type { IngestBatch } from '../../../../src/engine/engine.js'
import { toBatch } from '../../../support/batch.js'
import { numberedBatch, recoverAll } from '../../../support/journal.js'
import { createModelFiles, type ModelFiles } from '../../../support/model-files.js'
import { mulberry32 } from '../../../support/random.js'
import { edge } from '../../../support/records.js'

const random = mulberry32(1)
const batches = [5, 800, 16, 0, 33].map((bytes, i) => numberedBatch(i, bytes, random))
const open = (files: ModelFiles) => createJournal(files, 'a', 'edge_logs')

describe('a journal', () => {
  it('gives back what was appended, also at the same time, in order', async () => {
    const files = createModelFiles()
    const journal = open(files)
    expect([journal.bytes, files.calls]).toEqual([0, 0])
    await Promise.all(batches.map(journal.append))
    await journal.close()
    const { found, damage, header, ...rest } = await recoverAll(files, 'a')
    expect(found).toEqual(batches)
    expect(damage).toEqual([])
    expect(header?.source).toBe('edge_logs')
    expect(rest).toEqual({ length: journal.bytes, batches: 5, rows: 10, torn: [], damaged: 'nowhere' })
    expect(journal.bytes).toBe(files.peek('a')!.length)
  })

  it('hands Arrow its columns where Arrow can read them in place', async () => {
    const files = createModelFiles()
    const journal = open(files)
    const rows = [1, 2, 3].map((timestampUs) => edge({ timestampUs, event_message: `m${timestampUs}` }))
    for (const row of rows) await journal.append(toBatch('edge_logs', [row]))
    const { found } = await recoverAll(files, 'a')
    expect(found.map(({ ipc }) => tableFromIPC(ipc).getChild('event_message')!.get(0))).toEqual(['m1', 'm2', 'm3'])
  })

  it('is read with no more memory than a window or its largest frame, payloads at multiples of 8 bytes', async () => {
    const files = createModelFiles()
    const journal = open(files)
    for (const batch of [...batches, ...batches]) await journal.append(batch)
    const targets: number[] = []
    const openToRead = async (path: string) => {
      const file = await files.openToRead(path)
      const readAt = (position: number, target: Uint8Array) => {
        targets.push(target.buffer.byteLength)
        return file.readAt(position, target)
      }
      return { ...file, readAt }
    }
    const places: number[] = []
    const batch = ({ ipc }: IngestBatch) => void places.push(ipc.byteOffset % 8)
    await recoverJournal({ ...files, openToRead }, 'a', 'edge_logs', { batch, damage() {} }, 64)
    // The header is read in one call, and each frame is far smaller.
    expect([Math.max(...targets), places]).toEqual([FRAMES_START, Array(10).fill(0)])
  })

  it('goes on behind the last valid frame, and cuts off what is behind it', async () => {
    const files = createModelFiles()
    const first = open(files)
    for (const batch of batches.slice(0, 3)) await first.append(batch)
    files.put('a', Buffer.concat([files.peek('a')!, Buffer.alloc(5000, 7)]))
    const { header, length } = await recoverAll(files, 'a')
    const second = continueJournal(files, 'a', header!, length)
    expect(second.bytes).toBe(first.bytes)
    for (const batch of batches.slice(3)) await second.append(batch)
    const { found, damage } = await recoverAll(files, 'a')
    expect([found, damage]).toEqual([batches, []])
    expect(files.peek('a')!.length).toBe(second.bytes)
  })

  it('takes nothing of a file that was there before', async () => {
    const files = createModelFiles()
    for (const batch of batches) await open(files).append(batch)
    const { found, damage } = await recoverAll(files, 'a')
    expect([found, damage]).toEqual([batches.slice(-1), []])
  })

  it('syncs the file when there is something to sync, and its directory the first time', async () => {
    const files = createModelFiles()
    const journal = open(files)
    const callsOf = async (work: () => Promise<unknown>) => {
      const before = files.calls
      await work()
      return files.calls - before
    }
    expect(await callsOf(journal.sync)).toBe(0)
    await journal.append(batches[0]!)
    expect(await callsOf(journal.sync)).toBe(2)
    expect(await callsOf(journal.sync)).toBe(0)
    await journal.append(batches[1]!)
    expect(await callsOf(() => Promise.all([journal.sync(), journal.sync()]))).toBe(1)
  })

  it('says of a continued file that it is not yet synced', async () => {
    const files = createModelFiles()
    await open(files).append(batches[0]!)
    const next = files.restart()
    const { header, length } = await recoverAll(next, 'a')
    await continueJournal(next, 'a', header!, length).sync()
    const { found } = await recoverAll(next.cutPower(mulberry32(0)), 'a')
    expect(found).toEqual(batches.slice(0, 1))
  })

  it('refuses what is not its own, too large, or too late, and goes on', async () => {
    const files = createModelFiles()
    const journal = open(files)
    const refused = (batch: object) => journal.append({ ...batches[0]!, ...batch })
    await expect(refused({ source: 'auth_logs' })).rejects.toThrow('The journal a is for edge_logs, not for auth_logs.')
    await expect(refused({ ipc: new Uint8Array(PAYLOAD_LIMIT_BYTES + 1) })).rejects.toThrow(RangeError)
    await expect(refused({ rows: -1 })).rejects.toThrow(RangeError)
    const last = journal.append(batches[1]!)
    const closed = journal.close()
    await expect(journal.append(batches[2]!)).rejects.toThrow('The journal a is closed.')
    await expect(journal.sync()).rejects.toThrow('The journal a is closed.')
    await Promise.all([last, closed, journal.close()])
    expect((await recoverAll(files, 'a')).found).toEqual(batches.slice(1, 2))
  })
  it('takes no frame over the limit for one', async () => {
    const files = createModelFiles()
    const journal = open(files)
    await journal.append(batches[0]!)
    const whole = files.peek('a')!
    const ipc = new Uint8Array(PAYLOAD_LIMIT_BYTES + 8)
    const frame = encodeFrame(whole.subarray(8, 16), whole.length, { ...batches[0]!, ipc })
    files.put('a', Buffer.concat([whole, ...frame]))
    const { found, damage } = await recoverAll(files, 'a')
    // Compared as numbers: a failure must not print 64 MiB.
    expect(found.map(({ rows }) => rows)).toEqual([0])
    expect(damage).toEqual([{ path: 'a', offset: whole.length, bytes: ipc.length + 24 }])
  })
})
