import type { Cell } from '../../../plan/functions/function.js'
import { scalarOfJson } from '../../../plan/functions/json.js'
import { elementsOfJson } from '../../../plan/functions/json-path.js'
import type { Scalar } from '../../../plan/values/values.js'
import { RawJson } from '../../../plan/values/values.js'
import { createEvaluate } from './evaluate.js'
import type { Frame, SingleElement } from './frame.js'
import { isCold, type Vector } from './vector.js'

/** Returns the rows of a frame with a column more: the only element of a list in each row, or null. */
export function withElement(frame: Frame, name: string, element: SingleElement): Frame {
  const lists = createEvaluate(frame)(element.list)
  const elementsAt = createElements(lists)
  const vector = elementVector(lists, (position) => elementsAt(position)[0] ?? null)
  return {
    ...frame,
    select: (positions) => withElement(frame.select(positions), name, element),
    column: (one) => (one === name ? vector : frame.column(one)),
    elements: new Map([...frame.elements, [name, element]]),
  }
}

/** Returns the vector of elements that are taken from lists on read. */
export const elementVector = (lists: Vector, at: Cell): Vector => ({
  kind: 'computed',
  at,
  call: undefined,
  longest: undefined,
  isCold: isCold(lists),
})

/**
 * Returns the elements at a position. The elements of the last list are remembered: another unnest may have made
 * several rows of a single row, with the same list in each.
 */
export function createElements({ at }: Vector): (position: number) => readonly Scalar[] {
  let text: string | undefined
  let elements: readonly Scalar[] = []
  return (position) => {
    const value = at(position)
    if (!(value instanceof RawJson)) return elementsOf(value)
    if (value.text !== text) {
      text = value.text
      elements = elementsOf(value)
    }
    return elements
  }
}

/** The elements of a list. An object is its only element. Empty for any other value. */
function elementsOf(value: Scalar): readonly Scalar[] {
  if (Array.isArray(value)) return value as readonly Scalar[]
  if (!(value instanceof RawJson)) return []
  return value.text.startsWith('[') ? elementsOfJson(value.text).map(scalarOfJson) : [value]
}
