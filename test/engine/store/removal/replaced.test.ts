import { describe, expect, it } from 'vitest'
import type { Deletion } from '../../../../src/engine/deletion.js'
import { none, range, without } from '../../../../src/engine/execute/columns/selection.js'
import { createHiding } from '../../../../src/engine/store/hiding/hiding.js'
import { erase } from '../../../../src/engine/store/removal/erase.js'
import type { SegmentHandle } from '../../../../src/engine/store/segment/handle.js'
import { createStore, type Store } from '../../../../src/engine/store/tables/store.js'
import { createProjectIndexes } from '../../../../src/engine/store/usage/project-indexes.js'
import { toBatch } from '../../../support/batch.js'
import { createModelFiles } from '../../../support/model-files.js'
import { edge } from '../../../support/records.js'
import { createTestSealer } from '../../../support/sealer.js'
import { openPersistence } from '../persistence/open-persistence.js'
import { runContext } from '../support.js'

const RECORDS = Array.from({ length: 30 }, (_, i) => edge({ id: `${i}`, timestampUs: i, project: i % 2 ? 'a' : 'b' }))

async function fill(store: Store): Promise<Store> {
  for (let i = 0; i < RECORDS.length; i += 10) await store.append(toBatch('edge_logs', RECORDS.slice(i, i + 10)))
  await store.settled()
  return store
}

const rowsIn = (segments: readonly SegmentHandle[]) => segments.reduce((sum, { rows }) => sum + rows, 0)

describe('a segment that two removals want at the same time', () => {
  it('is replaced once: the second removal does nothing', async () => {
    const files = createModelFiles()
    const store = await fill((await openPersistence(files, 10)).store)
    const [first] = store.segments()
    const removals = [1, 2].map((rows) =>
      store.removeRows(first!, async (batch) => without(range(0, batch.rows, false), range(0, rows, false))),
    )
    expect((await Promise.all(removals)).map((removed) => removed?.rows)).toEqual([1, undefined])
    expect(rowsIn(store.segments())).toBe(29)
    await store.close()
    expect(await (await openPersistence(files.restart())).rowsOf('edge_logs')).toHaveLength(29)
  })

  it('loses the rows of a deletion all the same', async () => {
    const store = await fill(createStore({ sealRows: 10, sealBytes: 1e9, sealer: createTestSealer() }))
    const hiding = createHiding(runContext().context, undefined)
    const all = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }
    const sources = new Map([['edge_logs' as const, { lastHead: 3, where: undefined }]])
    const deletion: Deletion = { id: 'd', project: 'a', ...all, sources }
    hiding.hide(deletion)
    let isFirst = true
    // While the first segment is erased, another removal replaces the second, by its other rows.
    const turn = async <T>(work: () => Promise<T>) => {
      const result = await work()
      if (isFirst) await store.removeRows(store.segments()[1]!, async (batch) => range(0, batch.rows - 1, false))
      isFirst = false
      return result
    }
    const erased = await erase(
      deletion,
      { store, hiding, indexes: createProjectIndexes(), turn },
      new AbortController().signal,
    )
    const left = await Promise.all(
      store.segments().map(async (segment) => {
        const batch = await segment.open(() => undefined, new Set())
        return batch.projectRows('a')
      }),
    )
    expect(left).toEqual([none, none, none])
    expect(erased.rows).toBe(15)
    await store.close()
  })
})
