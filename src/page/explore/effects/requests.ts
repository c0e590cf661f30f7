/** The requests of the explorer. Each answer is a message, unless the request was cancelled. */
import { MAX_EXPLORED_ROWS } from '../../../common/limits.js'
import { type Failure, sessionSignal } from '../../api/api.js'
import { failureOf, fetchFields, fetchHistogram, fetchRows, placeOf, type Query } from '../../api/explore.js'
import { isoOf } from '../../shared/range.js'
import { conditionProblem, isOfConditions, queryOf } from '../model/explore-request.js'
import type { EffectHandlers, Message, Send } from '../model/message.js'
import { FIRST_ROWS, MORE_ROWS } from '../model/update-rows.js'
import type { Scopes } from './scopes.js'

type Requests = Omit<EffectHandlers, 'change' | 'signOut' | 'wait' | 'follow'>

/** Returns the handlers of the effects that are requests. */
export function createRequests(send: Send, { begin, signalOf }: Scopes): Requests {
  function answer<Answer>(
    asked: Promise<Answer>,
    signal: AbortSignal,
    toMessage: (answer: Answer) => Message,
    toFailed: (failure: Failure) => Message,
  ): void {
    const message = asked.then(toMessage, (error) => toFailed(failureOf(error)))
    void message.then((given) => signal.aborted || send(given))
  }

  return {
    cancel: ({ scope }) => void begin(scope),
    loadRows({ loadId, query }) {
      const signal = begin('load')
      answer(
        fetchRows(query, { limit: FIRST_ROWS }, signal),
        signal,
        (given) => ({ kind: 'rowsLoaded', loadId, ...given }),
        (failure) => ({ kind: 'rowsFailed', loadId, failure }),
      )
    },
    loadOlder({ loadId, query, before }) {
      const signal = signalOf('load')
      answer(
        fetchRows(query, { limit: MORE_ROWS, before }, signal),
        signal,
        ({ rows }) => ({ kind: 'olderLoaded', loadId, rows }),
        (failure) => ({ kind: 'olderFailed', loadId, failure }),
      )
    },
    loadNewer({ loadId, query, after }) {
      const signal = signalOf('load')
      answer(
        fetchRows(query, { limit: MAX_EXPLORED_ROWS, after }, signal),
        signal,
        ({ rows }) => ({ kind: 'newerLoaded', loadId, rows }),
        (failure) => ({ kind: 'newerFailed', loadId, failure }),
      )
    },
    loadHistogram({ loadId, query, isFieldsNext }) {
      const signal = signalOf('load')
      answer(
        fetchHistogram(query, signal),
        signal,
        (given) => ({ kind: 'histogramLoaded', loadId, isFieldsNext, ...given }),
        (failure) => ({ kind: 'histogramFailed', loadId, isFieldsNext, failure }),
      )
    },
    loadFields({ loadId, query }) {
      const signal = signalOf('load')
      answer(
        fetchFields(query, undefined, signal),
        signal,
        (given) => ({ kind: 'fieldsLoaded', loadId, ...given }),
        (failure) => ({ kind: 'fieldsFailed', loadId, failure }),
      )
    },
    loadWholeField({ loadId, query, field }) {
      const signal = signalOf('load')
      answer(
        fetchFields(query, field, signal),
        signal,
        ({ rows: [row] }) => ({ kind: 'wholeFieldEnded', loadId, field, whole: { row } }),
        (failure) => ({ kind: 'wholeFieldEnded', loadId, field, whole: { failure } }),
      )
    },
    findRecord({ query, cursor }) {
      const signal = begin('record')
      answer(
        findLine(query, cursor, signal),
        signal,
        (line) => ({ kind: 'recordFound', cursor, line }),
        (failure) => ({ kind: 'recordFailed', cursor, failure }),
      )
    },
    checkPatterns({ box, state, filters }) {
      // A range without rows.
      const query = queryOf({ ...state, filters, search: '' }, { fromUs: 0, toUs: 0 })
      const signal = sessionSignal()
      answer(
        fetchRows(query, { limit: 1 }, signal),
        signal,
        () => ({ kind: 'patternsChecked', box, problem: undefined }),
        // All other failures also occur in the next load.
        (failure) => {
          const problem = isOfConditions(failure) ? conditionProblem(failure.message) : undefined
          return { kind: 'patternsChecked', box, problem }
        },
      )
    },
  }
}

/** Requests the row at a cursor, of any range. */
async function findLine(query: Query, cursor: string, signal: AbortSignal): Promise<string | undefined> {
  const { timestampUs, rank } = placeOf(cursor)
  const ofThisTime = { ...query, start: isoOf(timestampUs), end: isoOf(timestampUs + 1) }
  const { rows } = await fetchRows(ofThisTime, { limit: 1, before: `${timestampUs}.${rank + 1}` }, signal)
  return rows[0]?.rank === rank ? rows[0].line : undefined
}
