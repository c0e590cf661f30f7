import { decodeUtf8 } from '../../../../src/base/text/utf8.js'
import type { SourceName } from '../../../../src/common/sources.js'
import { createDiskRetry } from '../../../../src/engine/disk/files/disk-retry.js'
import type { Files } from '../../../../src/engine/disk/files/files.js'
import type { DiskSegment } from '../../../../src/engine/store/files/disk-segment.js'
import { createDiskPersistence } from '../../../../src/engine/store/persistence/disk-persistence.js'
import { createStore } from '../../../../src/engine/store/tables/store.js'
import { toBatch } from '../../../support/batch.js'
import { NINE_AND_OWN } from '../../../support/own-source.js'
import type { TestRecord } from '../../../support/records.js'
import { createTestSealer } from '../../../support/sealer.js'
import { ALL_COLUMNS, noYield } from '../support.js'

/** Returns a recovered store that persists rows in `files`. `onLoad` is called when a segment was loaded. */
export async function openPersistence(
  files: Files,
  sealRows = Number.POSITIVE_INFINITY,
  onLoad = () => {},
  headBytes?: number,
) {
  const diskRetry = createDiskRetry(1, () => {})
  const damages: string[] = []
  const torn: string[] = []
  const misplaced: string[] = []
  const onDamage = (segment: DiskSegment) => {
    damages.push(segment.path)
    store.setAside(segment)
  }
  const onPathDamage = ({ path }: DiskSegment) => void damages.push(`path columns of ${path}`)
  const persistence = createDiskPersistence(files, diskRetry, { onLoad, onDamage, onPathDamage }, headBytes)
  const store = createStore({ sealer: createTestSealer(), sealRows, sealBytes: Number.POSITIVE_INFINITY, persistence })
  await persistence.recover(store, {
    damage: ({ path, offset, bytes }) => void damages.push(`${path} ${offset} ${bytes}`),
    unreadable: (path) => void damages.push(path),
    torn: ({ path, bytes }) => void torn.push(`${path} ${bytes}`),
    copy: (path, original) => void misplaced.push(`${path} copies ${original}`),
    missing: (paths) => void misplaced.push(...paths.map((path) => `${path} is missing`)),
    unknown: (paths) => void misplaced.push(...paths.map((path) => `${path} is unknown`)),
    kept: (paths) => void misplaced.push(...paths.map((path) => `${path} is set aside`)),
  })

  /** Returns the cold columns of the rows of a source, part by part. */
  async function rowsOf(source: SourceName): Promise<string[]> {
    const { parts, release } = store.view(source)
    const rows: string[] = []
    for (const part of parts) {
      const batch = await part.open(noYield, ALL_COLUMNS)
      const read = batch.openCold()
      for (let row = 0; row < batch.rows; row++)
        rows.push(
          Object.values(await read(row))
            .map(decodeUtf8)
            .join(' '),
        )
    }
    release()
    return rows
  }

  return {
    store,
    persistence,
    diskRetry,
    /** The damage that recovery and later reads reported. */
    damages,
    /** The incomplete last frames, and the copies, gaps and unknown files that the recovery reported. */
    torn,
    misplaced,
    append: (...records: TestRecord[]) => store.append(toBatch(records[0]!.source, records)),
    rowsOf,
    async rows(): Promise<string[]> {
      const all: string[] = []
      for (const source of NINE_AND_OWN) all.push(...(await rowsOf(source)))
      return all.sort()
    },
    async close() {
      diskRetry.abandon()
      await store.settled().catch(() => {})
      await persistence.close().catch(() => {})
    },
  }
}

export type OpenPersistence = Awaited<ReturnType<typeof openPersistence>>

/** Returns a record in the form of {@link OpenPersistence.rows}. */
export const rowOf = ({ id, event_message, metadata }: TestRecord) => `${id} ${event_message} ${metadata}`
