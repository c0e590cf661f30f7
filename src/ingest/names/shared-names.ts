import { faultOfOwnName } from '../../common/own-source-names.js'
import { SOURCE_REFUSALS, type SourceRefusal } from '../../common/source-refusals.js'
import type { SourceName } from '../../common/sources.js'
import { acceptsAnySource, HISTORY_SOURCE, ownSourceNames, ownSources } from '../../common/sources.js'
import { admitSource } from './admission.js'
import { appendName, createNameReader, createNameTable } from './name-table.js'
import type { BoundToken, SourceNames } from './source-names.js'

/**
 * Names of own sources in a parsing thread. The thread reads the names that exist from shared memory, and asks the main
 * thread to make a source. It waits for the answer: that happens once for each source, and after a refusal the thread
 * knows by itself the refused names, since sources and limits never vanish.
 */

/** The names that a parsing thread gets at its start, and memory for later names and answers. */
export interface SharedNames {
  configured: readonly SourceName[]
  acceptsAny: boolean
  /** All known own sources. */
  table: SharedArrayBuffer
  /** A word: 0 while the thread waits, then ACCEPTED or a number of a refusal. */
  reply: SharedArrayBuffer
}

/** The question of a parsing thread for a source. */
export interface SourceQuestion {
  name: SourceName
  token: BoundToken
}

const ACCEPTED = 1
const FIRST_REFUSAL = 2

let table: SharedArrayBuffer | undefined
let published = 0

/** Returns the memory with the names of all known own sources. */
function publish(): SharedArrayBuffer {
  const own = ownSources()
  table ??= createNameTable(own.length)
  for (; published < own.length; published++) appendName(table, own[published]!.name)
  return table
}

/** Returns the names and the memory for another thread. Called on the main thread. */
export const shareNames = (): SharedNames => ({
  configured: ownSourceNames(),
  acceptsAny: acceptsAnySource(),
  table: publish(),
  reply: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
})

/** Answers the question of a thread, and returns the reason if no source is made. Called on the main thread. */
export function answerQuestion(
  { name, token }: SourceQuestion,
  { reply }: Pick<SharedNames, 'reply'>,
): SourceRefusal | undefined {
  const refusal = admitSource(name, token)
  publish()
  const word = new Int32Array(reply)
  Atomics.store(word, 0, refusal === undefined ? ACCEPTED : FIRST_REFUSAL + SOURCE_REFUSALS.indexOf(refusal))
  Atomics.notify(word, 0)
  return refusal
}

/** Returns the names in a thread, which asks by `ask` and then blocks until the main thread has answered. */
export function createThreadNames(
  { configured, acceptsAny, table, reply }: SharedNames,
  ask: (question: SourceQuestion) => void,
): SourceNames {
  const accepted = new Set(configured)
  const newNames = createNameReader(table)
  const word = new Int32Array(reply)
  const fullTokens = new Set<BoundToken>()
  let isFull = false

  function isAccepted(name: SourceName): boolean {
    if (acceptsAny && !accepted.has(name)) for (const added of newNames()) accepted.add(added)
    return accepted.has(name)
  }

  const stateOf: SourceNames['stateOf'] = (name, token) => {
    if (name === HISTORY_SOURCE) return 'written_by_service'
    if (isAccepted(name)) return 'accepted'
    if (!acceptsAny) return 'not_configured'
    if (faultOfOwnName(name) !== undefined) return 'not_a_name'
    if (isFull) return 'source_limit'
    return fullTokens.has(token) ? 'token_limit' : 'new'
  }

  const make: SourceNames['make'] = (name, token) => {
    Atomics.store(word, 0, 0)
    ask({ name, token })
    Atomics.wait(word, 0, 0)
    const answer = Atomics.load(word, 0)
    if (answer === ACCEPTED) {
      accepted.add(name)
      return undefined
    }
    const refusal = SOURCE_REFUSALS[answer - FIRST_REFUSAL]!
    isFull ||= refusal === 'source_limit'
    if (refusal === 'token_limit') fullTokens.add(token)
    return refusal
  }

  return { acceptsAny, stateOf, make }
}
