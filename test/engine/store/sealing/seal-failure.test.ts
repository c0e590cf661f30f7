import { beforeEach, expect, it, vi } from 'vitest'
import { createMemoryPersistence, type HeadPersistence } from '../../../../src/engine/store/persistence/persistence.js'
import { memoryHandle } from '../../../../src/engine/store/segment/handle.js'
import { createStore } from '../../../../src/engine/store/tables/store.js'
import { toBatch } from '../../../support/batch.js'
import { eventually } from '../../../support/eventually.js'
import { createGate } from '../../../support/gate.js'
import { edge } from '../../../support/records.js'
import { createTestSealer } from '../../../support/sealer.js'
import { viewOf } from '../support.js'

const seal = vi.fn(createTestSealer().seal)
const sealer = { ...createTestSealer(), seal }

beforeEach(() => void seal.mockClear())

it('a head that cannot be sealed stays visible, and later ones are sealed', async () => {
  const store = createStore({ sealer, sealRows: 1000, sealBytes: 1e9 })
  const append = (timestampUs: number) => store.append(toBatch('edge_logs', [edge({ timestampUs })]))
  const times = () => viewOf(store, 'edge_logs').batches.map(({ minUs }) => minUs)
  seal.mockRejectedValueOnce(new RangeError('no memory'))
  await append(1)
  await expect(store.sealAll()).rejects.toThrow('no memory')
  await append(2)
  await store.sealAll()
  expect(store.stats().find(({ source }) => source === 'edge_logs')).toMatchObject({ rows: 2, segments: 1 })
  expect(times().sort()).toEqual([1, 2])
})

it('a head that cannot be sealed while the one before it is written is told of when that is done', async () => {
  const gate = createGate()
  const write: HeadPersistence['write'] = (segments) => gate.opened.then(() => segments.map(memoryHandle))
  const persistence = {
    ...createMemoryPersistence(),
    openHead: () => ({ ...createMemoryPersistence().openHead('edge_logs'), write }),
  }
  const store = createStore({ sealer, sealRows: 1000, sealBytes: 1e9, persistence })
  const append = (timestampUs: number) => store.append(toBatch('edge_logs', [edge({ timestampUs })]))
  await append(1)
  const first = store.sealAll()
  await eventually(() => expect(seal).toHaveBeenCalled())
  seal.mockRejectedValueOnce(new RangeError('no memory'))
  await append(2)
  const second = store.sealAll()
  // Long enough for Node to detect an unhandled rejection.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  gate.open()
  await first
  await expect(second).rejects.toThrow('no memory')
})

it('a journal of which a part cannot be sealed stays, since it has rows that nothing else keeps', async () => {
  const commits: string[] = []
  const store = createStore({ sealer, sealRows: 1, sealBytes: 1e9 })
  const reopen = (name: string) =>
    store.reopen(
      'edge_logs',
      { ...createMemoryPersistence().openHead('edge_logs'), commit: async () => void commits.push(name) },
      async (show) => {
        for (const timestampUs of [1, 2, 3]) show(toBatch('edge_logs', [edge({ timestampUs })]))
        return 'open'
      },
    )
  seal.mockRejectedValueOnce(new RangeError('no memory'))
  await reopen('broken')
  await reopen('whole')
  await store.settled()
  expect(commits).toEqual(['whole'])
  expect(store.stats().find(({ source }) => source === 'edge_logs')).toMatchObject({ rows: 6, segments: 5 })
})
