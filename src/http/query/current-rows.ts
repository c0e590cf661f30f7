import type { SourceName } from '../../common/sources.js'
import type { Engine } from '../../engine/engine.js'
import type { Row } from '../../plan/answer.js'
import { mayRead } from '../../plan/of-project.js'
import { type Plan, sourcesOf } from '../../plan/plan.js'

/** The rows of a project and of some sources that were deleted. */
export interface DeletedRows {
  project: string
  sources: { has(source: SourceName): boolean }
}

/** An engine whose reads end as soon as rows are deleted that they may have: a read has the rows of its start. */
export interface CurrentRows {
  /**
   * Runs a plan as {@link Engine.run} does. Runs the plan again if rows were deleted before the promise resolves. The
   * rows end with an error if rows are deleted before they are read, see {@link isOutdated}.
   */
  run: Engine['run']
  /** To be called once the rows are hidden from all reads that start later. */
  noteDeleted(rows: DeletedRows): void
  /** How often rows were deleted. */
  readonly revision: number
  /** Calls a listener once rows are deleted that a plan may have read. Returns a function that removes the listener. */
  onDeleted(plan: Plan, listener: () => void): () => void
}

/** Whether a plan may read some deleted rows. */
export const mayHave = (plan: Plan, { project, sources }: DeletedRows): boolean =>
  mayRead(plan, project) && sourcesOf(plan).some((source) => sources.has(source))

/** Whether an error says that rows of an answer were deleted while they were read. The same query can be run again. */
export const isOutdated = (error: unknown): boolean => error instanceof OutdatedError

class OutdatedError extends Error {
  constructor() {
    super('Rows of this answer were deleted while they were read.')
  }
}

/** So many deletions are remembered. A read that is older than all of them counts as outdated. */
const REMEMBERED = 1_000

/** Returns the reads of an engine, of which no row was deleted yet. */
export function createCurrentRows(engine: Pick<Engine, 'run'>): CurrentRows {
  let revision = 0
  let deleted: readonly DeletedRows[] = []
  const listeners = new Set<{ plan: Plan; listener: () => void }>()

  /** Whether rows of a plan were deleted after a revision. */
  function isDeletedSince(since: number, plan: Plan): boolean {
    const missed = revision - since
    if (missed === 0) return false
    return missed > deleted.length || deleted.slice(-missed).some((rows) => mayHave(plan, rows))
  }

  /** Returns rows that throw once some may have been deleted. Adds no promise to a row. */
  function whileCurrent(rows: AsyncIterable<Row>, plan: Plan, start: number): AsyncIterable<Row> {
    let since = start
    return {
      [Symbol.asyncIterator]() {
        const iterator = rows[Symbol.asyncIterator]()
        return {
          next() {
            if (since !== revision && isDeletedSince(since, plan)) return Promise.reject(new OutdatedError())
            since = revision
            return iterator.next()
          },
          return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
        }
      },
    }
  }

  return {
    async run(plan, options) {
      for (;;) {
        const since = revision
        const rows = await engine.run(plan, options)
        if (!isDeletedSince(since, plan)) return whileCurrent(rows, plan, since)
        await rows[Symbol.asyncIterator]().return?.()
      }
    },
    noteDeleted(rows) {
      revision += 1
      deleted = [...deleted, rows].slice(-REMEMBERED)
      for (const { plan, listener } of [...listeners]) if (mayHave(plan, rows)) listener()
    },
    get revision() {
      return revision
    },
    onDeleted(plan, listener) {
      const one = { plan, listener }
      listeners.add(one)
      return () => void listeners.delete(one)
    },
  }
}
