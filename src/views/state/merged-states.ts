import type { Yielder } from '../../base/scheduling/time-slices.js'
import { type Aggregation, mergeStates, type States } from '../../engine/execute/grouping/aggregate.js'
import { createStatesCodec, type StatesCodec } from '../../engine/execute/grouping/states-codec.js'

/** Merges after which states are written and read again, since those of quantiles grow by each merge. */
const MERGES = 64

/** How states are merged. */
export interface Merging {
  aggregation: Aggregation
  /** The codec of the aggregation. */
  codec: StatesCodec
  yieldIfDue: Yielder
}

/**
 * Returns how states of an aggregation are merged. Throws a TypeError if the states of an aggregate cannot be stored.
 */
export const mergingOf = (aggregation: Aggregation, yieldIfDue: Yielder): Merging => ({
  aggregation,
  codec: createStatesCodec(aggregation),
  yieldIfDue,
})

/** The states of a group that comes in parts. The states of a single part stay bytes. */
export class MergedStates {
  readonly #merging: Merging
  readonly #first: Buffer
  #states: States | undefined
  #merges = 0

  /** `first` are the states of the first part. */
  constructor(merging: Merging, first: Buffer) {
    this.#merging = merging
    this.#first = first
  }

  /** Adds the states of another part. */
  async add(bytes: Buffer): Promise<void> {
    const { aggregation, codec, yieldIfDue } = this.#merging
    this.#states ??= codec.read(this.#first)
    await mergeStates(aggregation, this.#states, codec.read(bytes), yieldIfDue)
    if (++this.#merges % MERGES === 0) this.#states = codec.read(codec.write(this.#states))
  }

  /** The states of all parts. */
  get bytes(): Buffer {
    return this.#states === undefined ? this.#first : this.#merging.codec.write(this.#states)
  }
}
