/** Messages of queries that failed, with their remedies. */
import type { Failure } from '../api/api.js'

/** The remedies of errors that have none in their message, by the service's code. */
const REMEDIES: Readonly<Record<string, string>> = {
  too_many_groups: 'Group by fewer values, or choose a shorter time range.',
  too_much_memory: 'Select fewer columns or rows, or choose a shorter time range.',
  unsupported_by_engine: 'Use fields that have a column of their own.',
}

/** Returns the message of a failure with its remedy. `message`: the failure's, possibly without the place. */
export function problemText({ code, kind, retryS }: Failure, message: string): string {
  const remedy = REMEDIES[code ?? ''] ?? retryText(retryS, kind === 'busy')
  return remedy === '' ? message : `${withDot(message)} ${remedy}`
}

function retryText(retryS: number | undefined, isBusy: boolean): string {
  if (retryS === undefined) return ''
  const seconds = retryS === 1 ? 'a second' : `${retryS} seconds`
  return `Run it again in ${seconds}${isBusy ? '; if it takes too long, choose a shorter time range' : ''}.`
}

const withDot = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)
