/** The requests of the explorer. Each answer is a message, unless the request was cancelled. */
import { MAX_EXPLORED_ROWS } from '../../../common/limits.js'
import { type Failure, sessionSignal } from '../../api/api.js'
import { failureOf, fetchFields, fetchHistogram, fetchRows, placeOf, type Query } from '../../api/explore.js'
import { isoOf } from '../../shared/range.js'
import { conditionProblem, isOfConditions, queryOf } from '../model/explore-request.js'
import type { EffectHandlers, Message, Send } from '../model/message.js'
import { FIRST_ROWS, MORE_ROWS } from '../model/update-rows.js'
import type { Scopes } from './scopes.js'

/** Sends the message of an answer or a failure, unless `signal` is aborted. */
type Ask = <Answer>(
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<Answer>,
  toMessage: (answer: Answer) => Message,
  toFailed: (failure: Failure) => Message,
) => void

/** Returns the handlers of the effects that are requests. */
export function createRequests(
  send: Send,
  scopes: Scopes,
): Omit<EffectHandlers, 'change' | 'signOut' | 'wait' | 'follow'> {
  const ask: Ask = (signal, request, toMessage, toFailed) => {
    const message = request(signal).then(toMessage, (error) => toFailed(failureOf(error)))
    void message.then((given) => signal.aborted || send(given))
  }
  return { cancel: ({ scope }) => void scopes.begin(scope), ...rowRequests(ask, scopes), ...countRequests(ask, scopes) }
}

/** Requests for rows. */
const rowRequests = (ask: Ask, { begin, signalOf }: Scopes) =>
  ({
    loadRows: ({ loadId, query }) =>
      ask(
        begin('load'),
        (signal) => fetchRows(query, { limit: FIRST_ROWS }, signal),
        (answer) => ({ kind: 'rowsLoaded', loadId, ...answer }),
        (failure) => ({ kind: 'rowsFailed', loadId, failure }),
      ),
    loadOlder: ({ loadId, query, before }) =>
      ask(
        signalOf('load'),
        (signal) => fetchRows(query, { limit: MORE_ROWS, before }, signal),
        ({ rows }) => ({ kind: 'olderLoaded', loadId, rows }),
        (failure) => ({ kind: 'olderFailed', loadId, failure }),
      ),
    loadNewer: ({ loadId, query, after }) =>
      ask(
        signalOf('load'),
        (signal) => fetchRows(query, { limit: MAX_EXPLORED_ROWS, after }, signal),
        ({ rows }) => ({ kind: 'newerLoaded', loadId, rows }),
        (failure) => ({ kind: 'newerFailed', loadId, failure }),
      ),
    findRecord: ({ query, cursor }) =>
      ask(
        begin('record'),
        (signal) => findLine(query, cursor, signal),
        (line) => ({ kind: 'recordFound', cursor, line }),
        (failure) => ({ kind: 'recordFailed', cursor, failure }),
      ),
    checkPatterns: ({ box, state, filters }) =>
      ask(
        sessionSignal(),
        // A range without rows.
        (signal) => fetchRows(queryOf({ ...state, filters, search: '' }, { fromUs: 0, toUs: 0 }), { limit: 1 }, signal),
        () => ({ kind: 'patternsChecked', box, problem: undefined }),
        // All other failures also occur in the next load.
        (failure) => {
          const problem = isOfConditions(failure) ? conditionProblem(failure.message) : undefined
          return { kind: 'patternsChecked', box, problem }
        },
      ),
  }) satisfies Partial<EffectHandlers>

/** Requests for counts. */
const countRequests = (ask: Ask, { signalOf }: Scopes) =>
  ({
    loadHistogram: ({ loadId, query, isFieldsNext }) =>
      ask(
        signalOf('load'),
        (signal) => fetchBars(query, signal),
        (answer) => ({ kind: 'histogramLoaded', loadId, isFieldsNext, ...answer }),
        (failure) => ({ kind: 'histogramFailed', loadId, isFieldsNext, failure }),
      ),
    loadFields: ({ loadId, query }) =>
      ask(
        signalOf('load'),
        (signal) => fetchFields(query, undefined, signal),
        (answer) => ({ kind: 'fieldsLoaded', loadId, ...answer }),
        (failure) => ({ kind: 'fieldsFailed', loadId, failure }),
      ),
    loadWholeField: ({ loadId, query, field }) =>
      ask(
        signalOf('load'),
        (signal) => fetchFields(query, field, signal),
        ({ rows: [row] }) => ({ kind: 'wholeFieldEnded', loadId, field, whole: { row } }),
        (failure) => ({ kind: 'wholeFieldEnded', loadId, field, whole: { failure } }),
      ),
  }) satisfies Partial<EffectHandlers>

/**
 * Requests the histogram by outcome. Without a split if the engine cannot read outcomes: old servers of ClickHouse read
 * no fields of own sources.
 */
async function fetchBars(query: Query, signal: AbortSignal): ReturnType<typeof fetchHistogram> {
  try {
    return await fetchHistogram(query, signal)
  } catch (error) {
    if (failureOf(error).code !== 'unsupported_by_engine') throw error
    return fetchHistogram(query, signal, 'nothing')
  }
}

/** Requests the row at a cursor, of any range. */
async function findLine(query: Query, cursor: string, signal: AbortSignal): Promise<string | undefined> {
  const { timestampUs, rank } = placeOf(cursor)
  const ofThisTime = { ...query, start: isoOf(timestampUs), end: isoOf(timestampUs + 1) }
  const { rows } = await fetchRows(ofThisTime, { limit: 1, before: `${timestampUs}.${rank + 1}` }, signal)
  return rows[0]?.rank === rank ? rows[0].line : undefined
}
