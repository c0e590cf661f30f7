import { CompressionType, compressionRegistry, tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { checksumOf } from '../../../../src/arrow-ipc/file.js'
import { createColdTexts } from '../../../../src/engine/execute/open-batch/texts.js'
import { compactCold, type StoredCold } from '../../../../src/engine/store/sealing/compact.js'
import { identity } from '../../../../src/engine/store/sealing/sort.js'
import { COMPRESSION, coldColumnsInMemory, sealCold } from '../../../../src/engine/store/segment/cold.js'
import { createColdReader } from '../../../../src/engine/store/segment/cold-reader.js'
import type { TestRecord } from '../../../support/records.js'
import { decompressFrame } from '../../../support/zstd-frames.js'
import { wordy } from '../files/segments.js'
import { atOnce, headOf, noYield } from '../support.js'

const always = () => true
const textsOf = ({ id, event_message, metadata }: TestRecord) => [id, event_message, metadata]

async function uncompacted(records: readonly TestRecord[]): Promise<StoredCold> {
  const { file, firstRows, starts } = await sealCold(headOf(records).cold, identity(records.length), noYield)
  return { file, firstRows, starts, check: checksumOf(file) }
}

describe('a cold file that is made anew', () => {
  it.each([1, COMPRESSION.low.rows, 2000])('has the same %d rows as a table', async (rows) => {
    compressionRegistry.set(CompressionType.ZSTD, { decode: decompressFrame })
    const records = wordy(rows)
    const file = await compactCold(await uncompacted(records), createColdTexts(), always, noYield)
    const table = tableFromIPC(file!)
    expect(table.toArray().map((row) => Object.values(row.toJSON()))).toEqual(records.map(textsOf))
  })

  it('is smaller, and the file that sealing with high effort makes, but for what it replaces', async () => {
    const records = wordy(2000)
    const cold = await uncompacted(records)
    const file = await compactCold(cold, createColdTexts(), always, noYield)
    const order = identity(records.length)
    const sealed = await sealCold(headOf(records).cold, order, noYield, () => 'high', cold.check)
    expect(file!.equals(sealed.file)).toBe(true)
    expect(file!.length).toBeLessThan(0.98 * cold.file.length)
    const read = createColdReader(coldColumnsInMemory(sealed))
    expect(records.map((_, row) => Object.values(atOnce(read(row))).map(String))).toEqual(records.map(textsOf))
  })

  it('is the same whatever was in the workshop before, which grows where it must', async () => {
    const [one, other] = [await uncompacted(wordy(1500)), await uncompacted(wordy(40))]
    const texts = createColdTexts()
    const files = []
    for (const cold of [one, other, one]) files.push(await compactCold(cold, texts, always, noYield))
    expect(files[2]!.equals(files[0]!)).toBe(true)
    expect(files[1]!.equals((await compactCold(other, createColdTexts(), always, noYield))!)).toBe(true)
  })

  it('is not made once there is no patience, as is asked between batches', async () => {
    const cold = await uncompacted(wordy(2000))
    let asked = 0
    expect(await compactCold(cold, createColdTexts(), () => ++asked < 3, noYield)).toBeUndefined()
    expect(asked).toBe(3)
    const stop = new Error('stop')
    const stopped = compactCold(cold, createColdTexts(), always, () => {
      throw stop
    })
    await expect(stopped).rejects.toBe(stop)
  })
})
