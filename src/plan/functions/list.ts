import { isInteger, type Scalar } from '../values/values.js'
import { queryError, strict } from './function.js'
import { need } from './number.js'

/** Elements of lists, which functions as `split` and `approx_quantiles` return. Places count from 0. */
export const LIST = {
  offset: strict(2, 'any', (list: Scalar, place: Scalar) => {
    const found = elementOf(list, place)
    if (found === undefined)
      throw queryError('An offset is beyond the end of its list: use safe_offset, which is null then.')
    return found
  }),
  safe_offset: strict(2, 'any', (list: Scalar, place: Scalar) => elementOf(list, place) ?? null),
} as const

function elementOf(list: Scalar, place: Scalar): Scalar | undefined {
  if (!Array.isArray(list)) throw queryError('An offset needs a list, as split(…) or approx_quantiles(…) returns.')
  const index = need(place)
  if (!isInteger(index)) throw queryError('An offset must be a whole number.')
  return (list as readonly Scalar[])[Number(index)]
}
