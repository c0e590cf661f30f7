import { escapeControl } from '../base/text/escape-control.js'
import { codeOf, messageOf } from '../common/error-body.js'

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
    const body: unknown = JSON.parse(json)
    const [message, code] = [messageOf(body), codeOf(body)]
    return message !== undefined && code !== undefined ? { message, code } : undefined
  } catch {
    return undefined
  }
}

/** Formats the error as `message (code)`, with control characters escaped. */
export const describeError = ({ message, code }: ErrorBody): string => escapeControl(`${message} (${code})`)
