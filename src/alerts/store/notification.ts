/** A request to a receiver that waits or is being sent. The content is fixed before the first try. */
export interface Notification {
  /** Grows from notification to notification of a data directory. */
  id: number
  receiver: string
  /** The idempotency key, the same in every try. */
  key: string
  body: string
  /** The identities of the alerts in the request: requests with an alert in common are sent in order. */
  identities: readonly string[]
  /** When the notification was made, in microseconds since the epoch. */
  createdUs: number
}

/** Checks the JSON of a notification. Throws a TypeError if a field is wrong. */
export function readNotification(json: unknown): Notification {
  const { id, receiver, key, body, identities, createdUs } = Object(json) as Record<string, unknown>
  const isRight =
    [id, createdUs].every(Number.isSafeInteger) &&
    [receiver, key, body].every((text) => typeof text === 'string') &&
    Array.isArray(identities) &&
    identities.every((text) => typeof text === 'string')
  if (!isRight) throw new TypeError('A notification is wrong.')
  return json as Notification
}
