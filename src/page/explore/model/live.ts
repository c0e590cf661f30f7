/** Starts and stops following new rows. */
import type { Step } from './message.js'
import type { Model } from './model.js'

/** Follows the rows of the query that the list has, which must have no end. Restarts if following already. */
export function startLive(model: Model): Step {
  const { query, failure } = model
  if (query === undefined) return [model]
  const liveId = model.liveId + 1
  const live = { text: 'connecting …', isCountDue: false }
  const next = { ...model, liveId, live, failure: failure?.of === 'live' ? undefined : failure }
  return [next, { kind: 'follow', liveId, query }]
}

/** Stops following, if started. */
export const stopLive = (model: Model): Step =>
  model.live === undefined
    ? [model]
    : [
        { ...model, live: undefined },
        { kind: 'cancel', scope: 'live' },
      ]
