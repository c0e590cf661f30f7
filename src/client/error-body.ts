import { escapeControl } from '../base/text/escape-control.js'

/** A service's description of an error. */
export interface ErrorBody {
  message: string
  code: string
}

/**
 * Reads the JSON of an error in either form, `{"error":"text","code":"x"}` or
 * `{"error":{"message":"text","code":"x"}}`. Returns undefined if the text is not such an error.
 */
export function readErrorBody(json: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(json)
    const [message, code] =
      typeof body.error === 'string' ? [body.error, body.code] : [body.error.message, body.error.code]
    return typeof message === 'string' && typeof code === 'string' ? { message, code } : undefined
  } catch {
    return undefined
  }
}

/** Formats the error as `message (code)`, with control characters escaped. */
export const describeError = ({ message, code }: ErrorBody): string => escapeControl(`${message} (${code})`)
