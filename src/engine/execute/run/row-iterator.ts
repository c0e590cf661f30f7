import type { Row } from '../../../plan/answer.js'
import { isDamage } from '../columns/damage.js'

type NextRow = () => Promise<IteratorResult<Row, void>>

/** The result of an iterator without further rows. */
export const ENDED: IteratorResult<Row, void> = { done: true, value: undefined }

/** Returns an iterator of rows. `stop` is called if the caller reads no more. */
export function iteratorOf(next: NextRow, stop: NextRow): AsyncIterableIterator<Row> {
  return {
    next,
    return: stop,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/**
 * Returns the rows. Calls `release` once, when all rows are read, a row cannot be read, or the caller stops reading. No
 * generator, since a generator keeps the last yielded row until the caller asks for the next row.
 */
export function releasing(rows: AsyncIterable<Row>, release: () => void): AsyncIterableIterator<Row> {
  const iterator = rows[Symbol.asyncIterator]()
  let isReleased = false
  const end = () => {
    if (!isReleased) release()
    isReleased = true
    return ENDED
  }
  const read: NextRow = async () => {
    if (isReleased) return ENDED
    try {
      const result = await iterator.next()
      return result.done ? end() : result
    } catch (error) {
      end()
      throw error
    }
  }
  let reading: Promise<unknown> = Promise.resolve()
  const next: NextRow = () => {
    const result = read()
    // Not the result itself, which has the row.
    reading = result.then(
      () => {},
      () => {},
    )
    return result
  }
  return iteratorOf(next, async () => {
    // A row that is being read still needs the resources that `release` frees.
    await reading
    await iterator.return?.()
    return end()
  })
}

/**
 * Returns the rows. If damage is found before the first row, returns the rows of `again` instead. Later, `rows` go on
 * without the damaged rows.
 */
export function restarting(
  rows: AsyncIterable<Row>,
  again: () => Promise<AsyncIterable<Row>>,
): AsyncIterableIterator<Row> {
  let iterator = rows[Symbol.asyncIterator]()
  let hasStarted = false
  const next: NextRow = async () => {
    for (;;) {
      try {
        const result = await iterator.next()
        hasStarted = true
        return result
      } catch (error) {
        if (hasStarted || !isDamage(error)) throw error
      }
      iterator = (await again())[Symbol.asyncIterator]()
    }
  }
  return iteratorOf(next, async () => {
    await iterator.return?.()
    return ENDED
  })
}
