/** Summarizes the values of several processes, so that results keep three numbers of each figure. */
import { median } from './process.mjs'

/**
 * Returns the medians, the least and the most of each figure. `values` has an object for each process, all of the same
 * form. A figure is a number, or a list of the numbers of a process. Texts are taken from the first process.
 */
export const summaryOf = (values) => ({
  runs: values.length,
  medians: combined(values, median),
  least: combined(values, (numbers) => Math.min(...numbers)),
  most: combined(values, (numbers) => Math.max(...numbers)),
})

function combined(values, combine) {
  const [first] = values
  if (typeof first === 'number') return combine(values)
  if (Array.isArray(first) && typeof first[0] === 'number') return combine(values.flat())
  if (Array.isArray(first)) return first.map((_, i) => combined(at(values, i), combine))
  if (typeof first !== 'object' || first === null) return first
  return Object.fromEntries(Object.keys(first).map((name) => [name, combined(at(values, name), combine)]))
}

const at = (values, key) => values.map((value) => value[key])
