/** `/api/deletions`: requests to delete rows, and the deletions so far. */

import { LogweirError } from '../../base/errors.js'
import type { MemoryBudget } from '../../base/memory/memory-budget.js'
import type { Metrics } from '../../base/metrics.js'
import { didYouMean } from '../../base/text/nearest.js'
import type { Clock } from '../../base/time/clock.js'
import {
  type AskedDeletion,
  type CountedDeletion,
  DELETIONS_PATH,
  type ListedDeletion,
} from '../../common/deletions.js'
import { allSourceNames, findSource, type SourceName } from '../../common/sources.js'
import { invalidParameter, optionalText, type Param, text, timestamp } from '../../endpoints/params.js'
import { refuseUnknown } from '../../endpoints/unknown-parameters.js'
import type { RunOptions } from '../../engine/engine.js'
import type { Access } from '../../tokens/access.js'
import { refusals } from '../reply/errors.js'
import { CODED_JSON_HEADERS, codedReply, jsonReply } from '../reply/reply.js'
import { createConcurrencyLimit } from './concurrency.js'

/** Deletes rows on request. */
export interface Deleting {
  /** Resolves when the deletion is durable and its rows are hidden. `by` describes the token. */
  accept(asked: AskedDeletion, by: string): Promise<ListedDeletion>
  /** Counts the rows that a deletion would delete now. */
  count(asked: AskedDeletion, options: Required<Pick<RunOptions, 'signal' | 'memory'>>): Promise<CountedDeletion>
  /** Returns the deletions of projects, or of all, the newest first. */
  list(projects: ReadonlySet<string> | undefined): Promise<readonly ListedDeletion[]>
  /** Returns a deletion of one of the projects. Undefined if there is none. */
  find(id: string, projects: ReadonlySet<string> | undefined): Promise<ListedDeletion | undefined>
}

/** Answers the requests about deletions. The token has the scope `delete`. */
export interface DeletionRequests {
  /** Deletes rows, or counts rows. The parameters are given as a query string. */
  request(request: Request, search: string, access: Access): Promise<Response>
  list(request: Request, access: Access): Promise<Response>
  find(id: string, access: Access): Promise<Response>
}

const flag: Param<boolean> = {
  required: false,
  description: 'true: only count the rows that would be deleted; default: false',
  schema: { type: 'boolean', default: false },
  read(value, name) {
    if (value === undefined || value === 'false') return false
    if (value === 'true') return true
    throw invalidParameter(`The parameter "${name}" is neither true nor false. Write true to count the rows only.`)
  },
}

const source: Param<SourceName | undefined> = {
  required: false,
  description: 'the only source whose rows are deleted, or its alias; absent: all sources',
  read(value, name) {
    if (value === undefined) return undefined
    const found = findSource(value)?.name
    if (found !== undefined) return found
    throw invalidParameter(`The parameter "${name}" names no source. ${didYouMean(value, allSourceNames())}`)
  },
}

/** The parameters of a deletion. */
export const DELETION_PARAMS = {
  project: text('the project whose rows are deleted'),
  source,
  start: timestamp('only rows from this time on'),
  end: timestamp('only rows before this time'),
  where: optionalText('only rows for which this condition in SQL is true'),
  dry_run: flag,
}

interface DeletionRequestsOptions {
  /** Undefined: the engine cannot delete rows. */
  deleting: Deleting | undefined
  memory: MemoryBudget
  metrics: Pick<Metrics, 'queriesRunning'>
  clock: Clock
}

/** Counts share two slots, besides queries. */
export const COUNTING = { queriesAtOnce: 2, queriesWaiting: 20, waitMs: 10_000, queryMs: 50_000 }

/**
 * Creates the answers. They reject with `unsupported_by_engine` if the engine cannot delete rows, `forbidden_project`,
 * the errors of the parameters, and the errors of {@link Deleting}.
 */
export function createDeletionRequests({
  deleting: given,
  memory,
  metrics,
  clock,
}: DeletionRequestsOptions): DeletionRequests {
  const concurrency = createConcurrencyLimit(COUNTING, clock, metrics.queriesRunning)
  function deleting(): Deleting {
    if (given === undefined) throw cannotDelete()
    return given
  }

  function count(asked: AskedDeletion, caller: AbortSignal): Promise<CountedDeletion> {
    return concurrency.run(async (signal) => {
      const share = memory.open()
      return deleting()
        .count(asked, { signal, memory: share })
        .finally(() => share.release())
    }, caller)
  }

  return {
    async request(request, search, { projects, label }) {
      const { isDryRun, asked } = readAsked(search)
      if (projects?.has(asked.project) === false) throw refusals.forbiddenProject()
      if (isDryRun) return jsonReply(JSON.stringify(await count(asked, request.signal)))
      const accepted = await deleting().accept(asked, label ?? 'unnamed')
      return jsonReply(JSON.stringify(accepted), 202, { Location: `${DELETIONS_PATH}/${accepted.id}` })
    },
    async list({ headers }, { projects }) {
      const result = await deleting().list(projects)
      return codedReply(headers, { plain: Buffer.from(JSON.stringify({ result })) }, CODED_JSON_HEADERS)
    },
    async find(id, { projects }) {
      const found = await deleting().find(id, projects)
      if (found === undefined) throw noDeletion()
      return jsonReply(JSON.stringify(found))
    },
  }
}

function readAsked(search: string): { isDryRun: boolean; asked: AskedDeletion } {
  const given = new URLSearchParams(search)
  refuseUnknown(given, Object.keys(DELETION_PARAMS))
  function read<T>(name: keyof typeof DELETION_PARAMS, param: Param<T>): T {
    const [value, second] = given.getAll(name)
    if (second !== undefined) throw refusals.twice(name)
    // An empty text must not widen a deletion.
    if (value === '' && name !== 'project') throw emptyParameter(name)
    return param.read(value === '' ? undefined : value, name)
  }
  const { project, start, end, where, dry_run } = DELETION_PARAMS
  const [startUs, endUs] = [read('start', start), read('end', end)]
  if (startUs !== undefined && endUs !== undefined && startUs >= endUs)
    throw invalidParameter('The parameter "start" is not before "end". Rows with start <= timestamp < end are deleted.')
  const asked = { project: read('project', project), source: read('source', source), startUs, endUs }
  return { isDryRun: read('dry_run', dry_run), asked: { ...asked, where: read('where', where) } }
}

const emptyParameter = (name: string) =>
  invalidParameter(
    `The parameter "${name}" is empty. Leave it out, or give it a value: it says which rows are deleted.`,
  )

const noDeletion = () =>
  new LogweirError('not_found', `There is no deletion of this id. GET ${DELETIONS_PATH} lists the deletions.`)

const cannotDelete = () =>
  new LogweirError('unsupported_by_engine', 'The engine of this service cannot delete rows on request.')
