import type { LazyBatch } from '../batches/lazy-batch.js'
import { MOST_AHEAD } from '../batches/open-ahead.js'
import type { Frame } from '../expressions/frame.js'
import { fieldsIn } from '../expressions/loaded-fields.js'
import type { Grouping } from './groups.js'

/** The frame of a batch, and how the batch ends. */
interface Reading {
  /** Passes the frame on. Called once. */
  start(use: (frame: Frame) => Promise<void>): void
  /** Gives up a frame that was not passed on. */
  cancel(): void
  /** Resolves when the frame was used. */
  done: Promise<void>
}

/** Reads batches by place, in ascending order, and the next batches in advance: their columns and fields. */
export class ReadAhead {
  readonly #batches: readonly LazyBatch[]
  readonly #grouping: Grouping
  readonly #readings = new Map<number, Reading>()

  constructor(batches: readonly LazyBatch[], grouping: Grouping) {
    this.#batches = batches
    this.#grouping = grouping
  }

  /** Calls `use` with the rows of a batch. `isNext` tells if the batch at a later place will be read too. */
  async read(place: number, use: (frame: Frame) => Promise<void>, isNext: (place: number) => boolean): Promise<void> {
    const reading = this.#begin(place)
    this.#readings.delete(place)
    for (let next = place + 1; next < this.#batches.length && this.#readings.size < MOST_AHEAD; next++) {
      if (!isNext(next)) break
      if (!this.#readings.has(next)) this.#readings.set(next, this.#begin(next))
    }
    reading.start(use)
    await reading.done
  }

  /** Ends the readings that are not wanted any more. Resolves when their parts are closed. */
  async end(): Promise<void> {
    const readings = [...this.#readings.values()]
    this.#readings.clear()
    for (const { cancel } of readings) cancel()
    await Promise.allSettled(readings.map(({ done }) => done))
  }

  #begin(place: number): Reading {
    const known = this.#readings.get(place)
    if (known !== undefined) return known
    const { expressions, context } = this.#grouping
    let [start, cancel]: [Reading['start'], Reading['cancel']] = [() => {}, () => {}]
    const wanted = new Promise<((frame: Frame) => Promise<void>) | undefined>((resolve) => {
      start = resolve
      cancel = () => resolve(undefined)
    })
    const done = this.#batches[place].read(async (frame) => {
      await frame.loadFields?.(fieldsIn(expressions, frame.elements), context.yieldIfDue)
      await (await wanted)?.(frame)
    })
    // An error is that of the batch, and is awaited when the batch is wanted.
    done.catch(() => {})
    return { start, cancel, done }
  }
}
