import { createDiskKeeper } from '../../../../../src/engine/arrow/storage/persistence/disk-persistence.js'
import { createStore } from '../../../../../src/engine/arrow/storage/store/store.js'
import { createTrouble } from '../../../../../src/engine/disk/files/disk-retry.js'
import type { Files } from '../../../../../src/engine/disk/files/files.js'
import { SOURCE_NAMES, type SourceName } from '../../../../../src/sources.js'
import { toBatch } from '../../../../support/batch.js'
import type { TestRecord } from '../../../../support/records.js'
import { noYield } from '../../support.js'

/** A store that keeps its rows in `files`, its recovery done. `onLoad` is called when a segment has come into memory. */
export async function openKept(
  files: Files,
  sealRows = Number.POSITIVE_INFINITY,
  onLoad = () => {},
  recompressBytes?: number,
) {
  const trouble = createTrouble(1, () => {})
  const keeper = createDiskKeeper(files, trouble, onLoad, recompressBytes)
  const store = createStore({ sealRows, sealBytes: Number.POSITIVE_INFINITY, keeper })
  const amiss: string[] = []
  await keeper.recover(store, {
    damage: ({ path, offset, bytes }) => amiss.push(`${path} ${offset} ${bytes}`),
    unreadable: (path) => amiss.push(path),
  })

  /** The rows of a source, part by part, as their cold columns say. */
  async function rowsOf(source: SourceName): Promise<string[]> {
    const { parts, release } = store.view(source)
    const rows: string[] = []
    for (const part of parts) {
      const batch = await part.open(noYield)
      const read = batch.openCold()
      for (let row = 0; row < batch.rows; row++) rows.push(Object.values(await read(row)).join(' '))
    }
    release()
    return rows
  }

  return {
    store,
    keeper,
    trouble,
    /** What recovery found amiss. */
    amiss,
    append: (...records: TestRecord[]) => store.append(toBatch(records[0]!.source, records)),
    rowsOf,
    async rows(): Promise<string[]> {
      const all: string[] = []
      for (const source of SOURCE_NAMES) all.push(...(await rowsOf(source)))
      return all.sort()
    },
    async close() {
      trouble.giveUp()
      await store.settled().catch(() => {})
      await keeper.close().catch(() => {})
    },
  }
}

export type Kept = Awaited<ReturnType<typeof openKept>>

/** A record as {@link Kept.rows} tells it. */
export const told = ({ id, event_message, metadata }: TestRecord) => `${id} ${event_message} ${metadata}`
