import { createMetrics } from '../../src/base/metrics.js'
import type { AskedDeletion } from '../../src/common/deletions.js'
import { createDeletions } from '../../src/deletions/deletions.js'
import { createJobFiles } from '../../src/deletions/job-files.js'
import type { DeletionsOptions } from '../../src/deletions/options.js'
import type { DeletingEngine, Deletion } from '../../src/engine/deletion.js'
import type { Files } from '../../src/engine/disk/files/files.js'
import { createMemoryFiles } from '../../src/engine/disk/files/memory-files.js'
import { createFakeClock } from '../support/clock.js'

/** All rows of the project a. */
export const ALL_OF_A: AskedDeletion = {
  ...{ project: 'a', source: undefined, startUs: undefined, endUs: undefined, where: undefined },
}

/** An engine that notes calls. Each erasure waits for the test, unless `erases` is set. */
function createFakeDeleting(erases = true) {
  const calls: string[] = []
  const hidden: Deletion[] = []
  const waiting: { resolve(): void; reject(error: Error): void }[] = []
  const engine: DeletingEngine = {
    async closeHeads() {
      calls.push('close')
      return new Map([['edge_logs', 7]])
    },
    hide(deletion) {
      calls.push('hide')
      hidden.push(deletion)
    },
    erase({ id }, signal) {
      calls.push('erase')
      return new Promise((resolve, reject) => {
        const finish = () => resolve({ rows: 2, bytes: id.length })
        if (erases) return finish()
        signal.addEventListener('abort', () => reject(signal.reason))
        waiting.push({ resolve: finish, reject })
      })
    },
  }
  return { engine, calls, hidden, waiting }
}

/** Deletions over a fake engine. */
export function openDeletions({
  files = createMemoryFiles(),
  erases = true,
  ...more
}: { files?: Files; erases?: boolean } & Partial<Omit<DeletionsOptions, 'files'>> = {}) {
  const fake = createFakeDeleting(erases)
  const clock = createFakeClock()
  const logged: string[] = []
  const metrics = createMetrics()
  const deletions = createDeletions({
    ...{ engine: fake.engine, files: createJobFiles(files), places: [], clock, metrics },
    log: (message) => logged.push(message),
    raiseFormat: async () => {},
    ...more,
  })
  return { ...fake, deletions, clock, logged, metrics, files }
}

/** Returns the texts of all files of deletions. */
export async function textsOf(files: Files): Promise<string[]> {
  return Promise.all(
    (await files.list('deletions')).sort().map(async (name) => {
      const file = await files.openToRead(`deletions/${name}`)
      const bytes = Buffer.alloc(file.bytes)
      await file.readAt(0, bytes)
      await file.close()
      return bytes.toString()
    }),
  )
}
