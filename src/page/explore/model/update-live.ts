/** Handlers of new rows that are followed. */
import { stopLive } from './live.js'
import type { Effect, Handlers, Step } from './message.js'
import type { Model } from './model.js'
import { loadNewer, withRows } from './update-rows.js'

/** Time from a new row to the request of the histogram, which counts all rows of that time. */
const COUNT_MS = 5_000

/** Ignores the messages of tails that have ended. */
const ofTail =
  <Message extends { liveId: number }>(handler: (model: Model, message: Message, nowUs: number) => Step) =>
  (model: Model, message: Message, nowUs: number): Step =>
    message.liveId === model.liveId && model.live !== undefined ? handler(model, message, nowUs) : [model]

const withText = (model: Model, text: string): Model => ({ ...model, live: { ...model.live!, text } })

/** Handlers of the messages of a tail. */
export const fromLive = {
  // Rows may have arrived between the list's answer and the tail's.
  liveConnected: ofTail((model, _, nowUs) => loadNewer(withText(model, 'live'), nowUs)),
  liveWaiting: ofTail((model, { text }) => [withText(model, text)]),
  liveRows: ofTail((model, { rows, liveId }) => {
    const next = withRows(model, rows)
    const live = { ...next.live!, isCountDue: true }
    const wait: Effect = { kind: 'wait', ms: COUNT_MS, message: { kind: 'countDue', liveId }, isForVisible: true }
    return model.live!.isCountDue ? [next] : [{ ...next, live }, wait]
  }),
  liveGap: ofTail((model, _, nowUs) => loadNewer(model, nowUs)),
  liveFailed: ofTail((model, { failure }) => {
    const [next, ...effects] = stopLive(model)
    if (failure.kind === 'unauthorized') return [next, ...effects, { kind: 'signOut', failure }]
    return [{ ...next, failure: { of: 'live', failure } }, ...effects]
  }),
  countDue: ofTail((model) => [
    { ...model, live: { ...model.live!, isCountDue: false } },
    { kind: 'loadHistogram', loadId: model.loadId, query: model.query!, isFieldsNext: false },
  ]),
} satisfies Partial<Handlers>
