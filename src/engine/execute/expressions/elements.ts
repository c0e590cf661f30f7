import { scalarOfJson } from '../../../plan/functions/json.js'
import { elementsOfJson } from '../../../plan/functions/json-path.js'
import type { Scalar } from '../../../plan/values/values.js'
import { RawJson } from '../../../plan/values/values.js'
import { createEvaluate } from './evaluate.js'
import type { Frame, SingleElement } from './frame.js'
import type { Vector } from './vector.js'

/** Returns the rows of a frame with a column more: the only element of a list in each row, or null. */
export function withElement(frame: Frame, name: string, element: SingleElement): Frame {
  const lists = createEvaluate(frame)(element.list)
  const elementsAt = createElements(lists)
  const vector: Vector = { at: (position) => elementsAt(position)[0] ?? null, isCold: lists.isCold }
  const { select } = frame
  return {
    ...frame,
    ...(select && { select: (positions: Uint32Array) => withElement(select(positions), name, element) }),
    column: (one) => (one === name ? vector : frame.column(one)),
    elements: new Map([...(frame.elements ?? []), [name, element]]),
  }
}

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
