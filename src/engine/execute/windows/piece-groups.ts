import { Interner } from '../../../base/memory/interner.js'
import { createMeter, tooMuchMemory } from '../../../base/memory/memory-budget.js'
import type { RunContext } from '../batches/lazy-batch.js'
import { entryOf } from '../columns/dictionary.js'
import { type Aggregation, bytesOfStates, copyStates, mergeStates, type States } from '../grouping/aggregate.js'
import { GROUP_BYTES, type Groups } from '../grouping/groups.js'

/** Groups of some pieces of time: the code of each group's keys, and its states, which are never changed. */
export interface MergedGroups {
  codes: readonly number[]
  states: readonly States[]
}

/** The bytes of the number of a piece, the first key of the groups of {@link PieceGroups.add}: a tag and a double. */
const PIECE_BYTES = 9
/** Groups that are merged without a look at the clock. */
const GROUPS_AT_ONCE = 64

interface Node extends MergedGroups {
  bytes: number
}

const EMPTY: Node = { codes: [], states: [], bytes: 0 }

/**
 * The groups of pieces of time, and of blocks of 2, 4, 8, … pieces, which are made once: the groups of a window are
 * merged from about twice as many blocks as the logarithm of its pieces. Windows must ascend.
 */
export class PieceGroups {
  /** The keys of all groups so far, as bytes. */
  readonly keys = new Interner()
  readonly #aggregation: Aggregation
  readonly #context: RunContext
  readonly #meter: (bytes: number) => void
  /** By level, the nodes by number: node i of level l has the pieces [i * 2^l, (i + 1) * 2^l). */
  readonly #levels: Map<number, Node>[] = [new Map()]
  /** By level, the first node that is kept. */
  readonly #first: number[] = [0]
  #bytes = 0
  /** By code: the last merge with the code, and the place in this merge. */
  #seen = new Uint32Array(0)
  #places = new Uint32Array(0)
  #merges = 0

  constructor(aggregation: Aggregation, context: RunContext) {
    this.#aggregation = aggregation
    this.#context = context
    this.#meter = createMeter(context.memory)
  }

  /** The approximate memory of all groups and keys. */
  get bytes(): number {
    return this.#bytes + this.keys.byteLength
  }

  /** Adds groups with the number of a piece as the first key. The groups of a piece are added together. */
  add({ keys, states }: Groups): void {
    const pieces = new Map<number, { codes: number[]; states: States[]; bytes: number }>()
    for (let group = 0; group < states.length; group++) {
      const entry = entryOf(keys, group)
      const number = entry.readDoubleLE(1)
      const piece = pieces.get(number) ?? { codes: [], states: [], bytes: 0 }
      pieces.set(number, piece)
      piece.codes.push(this.keys.intern(entry, PIECE_BYTES, entry.length))
      piece.states.push(states[group])
      piece.bytes += this.#bytesOf(states[group])
    }
    for (const [number, piece] of pieces) this.#keep(0, number, piece)
    this.#count()
  }

  /** Drops everything before a piece. */
  dropBefore(piece: number): void {
    for (const [level, nodes] of this.#levels.entries()) {
      const end = Math.floor(piece / 2 ** level)
      for (let number = this.#first[level]; number < end; number++) {
        this.#bytes -= nodes.get(number)?.bytes ?? 0
        nodes.delete(number)
      }
      this.#first[level] = Math.max(this.#first[level], end)
    }
    this.#count()
  }

  /** Returns the groups of the pieces [from, to). Throws `too_much_memory`. */
  async merged(from: number, to: number): Promise<MergedGroups> {
    const nodes: Node[] = []
    for (let piece = from; piece < to; ) {
      const level = levelAt(piece, to)
      nodes.push(await this.#node(level, piece / 2 ** level))
      piece += 2 ** level
    }
    const { codes, states } = await this.#merge(nodes)
    this.#count()
    return { codes, states }
  }

  async #node(level: number, number: number): Promise<Node> {
    const known = this.#levels[level]?.get(number)
    if (known !== undefined || level === 0) return known ?? EMPTY
    const halves = [await this.#node(level - 1, 2 * number), await this.#node(level - 1, 2 * number + 1)]
    return this.#keep(level, number, await this.#merge(halves))
  }

  #keep(level: number, number: number, node: Node): Node {
    while (this.#levels.length <= level) {
      this.#first.push(Math.floor(this.#first[0] / 2 ** this.#levels.length))
      this.#levels.push(new Map())
    }
    this.#levels[level].set(number, node)
    this.#bytes += node.bytes
    return node
  }

  /** Merges nodes. A group of a single node shares its states. */
  async #merge(nodes: readonly Node[]): Promise<Node> {
    const filled = nodes.filter(({ codes }) => codes.length > 0)
    if (filled.length < 2) return filled[0] ?? EMPTY
    const { yieldIfDue } = this.#context
    const merge = this.#nextMerge()
    const codes: number[] = []
    const states: States[] = []
    const isOwn: boolean[] = []
    for (const node of filled) {
      for (let i = 0; i < node.codes.length; i++) {
        const code = node.codes[i]
        if (this.#seen[code] === merge) {
          const rest = this.#mergeInto(states, isOwn, this.#places[code], node.states[i])
          if (rest !== undefined) await rest
        } else {
          this.#seen[code] = merge
          this.#places[code] = codes.push(code) - 1
          states.push(node.states[i])
          isOwn.push(false)
        }
        const pause = i % GROUPS_AT_ONCE === 0 ? yieldIfDue() : undefined
        if (pause !== undefined) await pause
      }
    }
    return { codes, states, bytes: states.reduce((sum, one) => sum + this.#bytesOf(one), 0) }
  }

  #mergeInto(states: States[], isOwn: boolean[], place: number, from: States): Promise<void> | undefined {
    if (!isOwn[place]) states[place] = copyStates(this.#aggregation, states[place])
    isOwn[place] = true
    return mergeStates(this.#aggregation, states[place], from, this.#context.yieldIfDue)
  }

  #nextMerge(): number {
    if (this.#seen.length < this.keys.count) {
      this.#seen = new Uint32Array(2 * this.keys.count)
      this.#places = new Uint32Array(2 * this.keys.count)
      this.#merges = 0
    }
    return ++this.#merges
  }

  #bytesOf = (states: States) => GROUP_BYTES + bytesOfStates(this.#aggregation, states)

  #count(): void {
    const { bytes } = this
    this.#meter(bytes)
    const { limits } = this.#context
    if (bytes > limits.bytes) throw tooMuchMemory(limits.bytes)
  }
}

/** Returns the level of the largest block that starts at a piece and ends at or before another. */
function levelAt(piece: number, to: number): number {
  let level = 0
  while (piece % 2 ** (level + 1) === 0 && piece + 2 ** (level + 1) <= to) level++
  return level
}
