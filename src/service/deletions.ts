import type { Deletions } from '../deletions/deletions.js'
import type { DeletionPlace } from '../deletions/place.js'
import type { DeletingEngine } from '../engine/deletion.js'
import { createFormatRaiser, LIFE_FORMAT } from '../engine/disk/directory/format.js'
import type { Files } from '../engine/disk/files/files.js'
import { createMemoryFiles } from '../engine/disk/files/memory-files.js'
import type { Engine } from '../engine/engine.js'
import type { Deleting } from '../http/query/deletions.js'
import type { Shared } from './open-components.js'

/** The deletions of a service. */
export interface ServiceDeletions extends Deleting {
  /** See {@link Deletions.hideOpen}. */
  hideOpen(): Promise<void>
  /** To be called when all rows are recovered. */
  start(): void
  /** See {@link Deletions.stop}. To be called before the engine closes. */
  stop(): Promise<void>
}

interface ServiceDeletionsOptions extends Shared {
  engine: Pick<Engine, 'run'> & { deleting: DeletingEngine }
  /** The files of the data directory. Undefined: deletions end with the process, as the rows do. */
  files: Files | undefined
  /** Returns the other places of rows. Called with the first deletion. */
  places(): Promise<readonly DeletionPlace[]>
}

/** Creates the deletions of a service. Most code of deletions is loaded with the first. */
export function createServiceDeletions({ files, ...options }: ServiceDeletionsOptions): ServiceDeletions {
  const jobFiles = files ?? createMemoryFiles()
  const raiseFormat = files === undefined ? async () => {} : createFormatRaiser(files, LIFE_FORMAT)
  let loading: Promise<Deletions> | undefined
  let isStarted = false

  async function load(): Promise<Deletions> {
    const { createDeletions } = await import('../deletions/deletions.js')
    const { createJobFiles } = await import('../deletions/job-files.js')
    const { engine, places, ...others } = options
    const jobs = createJobFiles(jobFiles)
    const deletions = createDeletions({
      ...others,
      places: await places(),
      engine: engine.deleting,
      raiseFormat,
      files: jobs,
    })
    if (isStarted) deletions.start()
    return deletions
  }

  const deletions = () => (loading ??= load())

  return {
    async hideOpen() {
      // Without a data directory there are none: the service answers at once.
      if (files === undefined) return
      const { hasJobs } = await import('../deletions/job-files.js')
      if (await hasJobs(jobFiles)) await (await deletions()).hideOpen()
    },
    start() {
      isStarted = true
      void loading?.then(({ start }) => start())
    },
    stop: async () => (await loading)?.stop(),
    accept: async (asked, by) => (await deletions()).accept(asked, by),
    async count(asked, running) {
      const { countRows } = await import('../deletions/count.js')
      return countRows(asked, options.engine, running)
    },
    list: async (projects) => (await deletions()).list(projects),
    find: async (id, projects) => (await deletions()).find(id, projects),
  }
}
