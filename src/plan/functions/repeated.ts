import { RawJson, type Scalar } from '../values/values.js'
import { bounded } from './function.js'
import { endOfText } from './json-path.js'

/**
 * Returns a value in the form in which BigQuery returns JSON: each object that is not an element of a list becomes the
 * only element of a list, at every level. The JSON values in a list are elements already, and the value itself is an
 * element if `isElement`. Other values are returned unchanged.
 */
export function repeated(value: Scalar, isElement: Scalar = false): Scalar {
  if (value instanceof RawJson) return new RawJson(repeatedJson(value.text, isElement === true))
  return Array.isArray(value) ? value.map((element) => repeated(element, true)) : value
}

const [LIST, ELEMENT, PUT_IN_LIST] = [0, 1, 2]
const [QUOTE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 91, 93, 123, 125]

/** Copies a valid JSON text in one pass. Numbers and texts keep their spelling. */
function repeatedJson(json: string, isElement: boolean): string {
  let copy = ''
  /** The open objects and lists, from the outside in. */
  const open: number[] = isElement ? [LIST] : []
  let copied = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfText(json, at) - 1
    else if (code === OPEN_LIST) open.push(LIST)
    else if (code === OPEN_OBJECT) {
      const isPut = open.at(-1) !== LIST
      open.push(isPut ? PUT_IN_LIST : ELEMENT)
      if (isPut) {
        copy += `${json.slice(copied, at)}[`
        copied = at
      }
    } else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && open.pop() === PUT_IN_LIST) {
      copy += `${json.slice(copied, at + 1)}]`
      copied = at + 1
    }
  }
  copy += json.slice(copied)
  return bounded(copy)
}
