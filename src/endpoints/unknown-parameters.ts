import { escapeControl } from '../base/text/escape-control.js'
import { didYouMean } from '../base/text/nearest.js'
import { shown } from './field-name.js'
import { invalidParameter } from './params.js'

/**
 * Throws `invalid_parameter` for a parameter that is not known, and names the nearest known parameter. Without this
 * error, a misspelled filter would return all rows without a word.
 */
export function refuseUnknown(search: URLSearchParams, known: readonly string[]): void {
  for (const name of search.keys()) {
    if (known.includes(name)) continue
    throw invalidParameter(`There is no parameter ${escapeControl(shown(name))} here. ${didYouMean(name, known)}`)
  }
}
