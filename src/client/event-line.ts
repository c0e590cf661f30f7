import { type ServerEvent, unreadableEvent } from './follow.js'

/** Returns JSON on a single line, without the line break at the end: line breaks in JSON can only be between tokens. */
export const onOneLine = (json: string): string => json.replaceAll(/[\r\n]/g, ' ')

/**
 * Returns an event as a line of NDJSON, `{"event":"change","id":"…",…data}`, without the line break at the end. The
 * data is copied unchanged. Without an id the line has no `id`. Throws a {@link ServiceError} if the data is not a JSON
 * object.
 */
export function eventLine({ event = 'message', id, data }: ServerEvent): string {
  if (!isObject(data)) throw unreadableEvent()
  const head = JSON.stringify(id === undefined ? { event } : { event, id }).slice(0, -1)
  const members = onOneLine(data).trim().slice(1).trimStart()
  return members === '}' ? `${head}}` : `${head},${members}`
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
