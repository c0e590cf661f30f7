/** Compares the answers of engines. A difference throws an error with the query, the engine and the row. */
import { isDeepStrictEqual } from 'node:util'

/** Relative tolerance of averages: sums of doubles depend on their order. */
const AVERAGE_TOLERANCE = 1e-9

/** Percentiles may differ by 1 % of rank. Maps each field to the reference's fields for its lower and upper bound. */
const BOUNDS = {
  p95_execution_time: ['p95_least', 'p95_most'],
  p99_execution_time: ['p99_least', 'p99_most'],
}
const BOUND_FIELDS = new Set(Object.values(BOUNDS).flat())

/**
 * Compares the answers of engines, a `Map` of engine to `[{ question, size, rows }]`. The reference is an engine that
 * returns exact percentiles and their bounds. Throws if answers differ or the reference has no rows,
 * except for the small project.
 */
export function compareAnswers(answersOf, reference) {
  const empty = answersOf.get(reference).find(({ size, rows }) => size !== 'small' && rows.length === 0)
  if (empty !== undefined) throw new Error(`${empty.question} (${empty.size}): no rows to compare`)
  for (const [engine, answers] of answersOf) {
    for (const [i, expected] of answersOf.get(reference).entries()) {
      compareRows(expected.rows, answers[i].rows, `${expected.question} (${expected.size})`, engine, reference)
    }
  }
}

function compareRows(expected, rows, question, engine, reference) {
  const fail = (what) => {
    throw new Error(`${question}: ${engine} and ${reference} differ: ${what}`)
  }
  if (rows.length !== expected.length) fail(`${rows.length} rows, not ${expected.length}`)
  for (const [i, row] of expected.entries()) {
    for (const field of Object.keys(row).filter((name) => !BOUND_FIELDS.has(name))) {
      if (isAlike(field, rows[i][field], row)) continue
      fail(`row ${i}, ${field}: ${JSON.stringify(rows[i][field])}, not ${JSON.stringify(row[field])}`)
    }
  }
}

function isAlike(field, value, row) {
  const expected = row[field]
  if (value === undefined || expected === undefined) return false
  if (value === null || expected === null) return value === expected
  if (field === 'metadata') return isSameJson(value, JSON.parse(expected))
  if (field === 'avg_execution_time') return Math.abs(value - expected) <= AVERAGE_TOLERANCE * Math.abs(expected)
  const bounds = BOUNDS[field]
  return bounds === undefined ? value === expected : row[bounds[0]] <= value && value <= row[bounds[1]]
}

/**
 * Whether metadata is the same: a text, or an object of an engine that stores lists of a single object as that object.
 */
function isSameJson(value, expected) {
  if (typeof value === 'string') return isDeepStrictEqual(JSON.parse(value), expected)
  return isDeepStrictEqual(value, withoutLists(expected))
}

function withoutLists(value) {
  if (Array.isArray(value)) return withoutLists(value[0])
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutLists(inner)]))
}
