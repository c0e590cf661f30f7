import type { Scalar } from '../../../plan/values/values.js'
import { KeyBytes } from '../columns/key-bytes.js'
import type { Accumulator } from './accumulator.js'
import type { EachCount } from './value-counts.js'

/** Distinct values, by the bytes that equal values share. */
export interface DistinctState {
  keys: Set<string>
  bytes: number
}

const scratch = new KeyBytes()

/** The bytes of a value, as a string with a byte per character. */
function keyOf(value: Scalar): string {
  scratch.clear()
  scratch.add(value)
  return scratch.bytes.toString('latin1', 0, scratch.length)
}

/** An empty set and the object around it, about. */
const SET_BYTES = 192
/** Objects of an entry of a set, about. */
const ENTRY_BYTES = 48

/** Keys of a step of a merge. */
const STEP_KEYS = 1024

/** Counts distinct values exactly. */
export const distinctAccumulator: Accumulator<EachCount, DistinctState> = {
  create: () => ({ keys: new Set(), bytes: 0 }),
  update: (state, each) => each((value) => add(state, keyOf(value))),
  merge(into, from) {
    for (const key of from.keys) add(into, key)
  },
  *mergeInSteps(into, from) {
    let keys = 0
    for (const key of from.keys) {
      add(into, key)
      if (++keys % STEP_KEYS === 0) yield
    }
  },
  bytes: ({ bytes }) => SET_BYTES + bytes,
}

function add(state: DistinctState, key: string): void {
  const before = state.keys.size
  state.keys.add(key)
  if (state.keys.size > before) state.bytes += ENTRY_BYTES + key.length
}

/** Distinct values: exactly while the values are few, then as the registers of a HyperLogLog sketch. */
export interface SketchState {
  hashes: Set<number> | undefined
  registers: Uint8Array | undefined
}

/** Up to this many values the count is exact. */
export const EXACT_DISTINCT = 1000
/** 2^14 registers: a standard error of 1.04 / 2^7 = 0.81 %. */
const REGISTER_BITS = 14
const REGISTERS = 2 ** REGISTER_BITS
/** The rank of a hash if its other 38 bits are all 0. */
const MAX_RANK = 39

/** Counts distinct values approximately (P. Flajolet et al., 2007; S. Heule et al., 2013), exactly up to 1,000. */
export const sketchAccumulator: Accumulator<EachCount, SketchState> = {
  create: () => ({ hashes: new Set(), registers: undefined }),
  update: (state, each) => each((value) => addHash(state, hashOf(keyOf(value)))),
  merge(into, from) {
    if (from.hashes !== undefined) for (const hash of from.hashes) addHash(into, hash)
    if (from.registers === undefined) return
    const registers = registersOf(into)
    for (let i = 0; i < REGISTERS; i++) registers[i] = Math.max(registers[i], from.registers[i])
  },
  bytes: ({ hashes, registers }) => SET_BYTES + (hashes?.size ?? 0) * ENTRY_BYTES + (registers?.byteLength ?? 0),
}

/**
 * The count, from the exact set or by the sketch's estimate (O. Ertl, 2017, "improved raw estimator"): without the bias
 * of other estimates where some registers are still empty.
 */
export function distinctOf({ hashes, registers }: SketchState): number {
  if (registers === undefined) return hashes?.size ?? 0
  const counts = new Uint32Array(MAX_RANK + 1)
  for (const rank of registers) counts[rank]++
  let sum = REGISTERS * weightOfFull(1 - counts[MAX_RANK] / REGISTERS)
  for (let rank = MAX_RANK - 1; rank > 0; rank--) sum = 0.5 * (sum + counts[rank])
  sum += REGISTERS * weightOfEmpty(counts[0] / REGISTERS)
  return Math.round((REGISTERS * REGISTERS) / (2 * Math.LN2 * sum))
}

/**
 * Ertl's sigma: the sum over k from 1 of x^(2^k) * 2^(k - 1), and x. `x` is the fraction of empty registers, below 1.
 */
function weightOfEmpty(fraction: number): number {
  let sum = fraction
  let factor = 1
  for (let power = fraction, before = -1; sum !== before; factor *= 2) {
    power *= power
    before = sum
    sum += power * factor
  }
  return sum
}

/** Ertl's tau: `x` is the fraction of registers that could still grow. */
function weightOfFull(fraction: number): number {
  if (fraction === 0 || fraction === 1) return 0
  let sum = 1 - fraction
  let factor = 0.5
  for (let root = fraction, before = -1; sum !== before; factor *= 0.5) {
    root = Math.sqrt(root)
    before = sum
    sum -= (1 - root) ** 2 * factor
  }
  return sum / 3
}

function addHash(state: SketchState, hash: number): void {
  const { hashes, registers } = state
  if (registers !== undefined) setRegister(registers, hash)
  else if (hashes!.add(hash).size > EXACT_DISTINCT) registersOf(state)
}

/** Returns the registers of a state. Converts the hashes to registers if the state has no registers. */
function registersOf(state: SketchState): Uint8Array {
  if (state.registers !== undefined) return state.registers
  const registers = new Uint8Array(REGISTERS)
  for (const hash of state.hashes!) setRegister(registers, hash)
  state.registers = registers
  state.hashes = undefined
  return registers
}

/**
 * A hash has 52 bits: the register from the upper bits, the rank from the place of the first bit set in the other bits.
 */
function setRegister(registers: Uint8Array, hash: number): void {
  const index = Math.floor(hash / 2 ** (52 - REGISTER_BITS))
  const rest = hash % 2 ** (52 - REGISTER_BITS)
  const high = Math.floor(rest / 2 ** 19)
  const rank = (high > 0 ? Math.clz32(high) - 13 : 19 + Math.clz32(rest % 2 ** 19) - 13) + 1
  if (rank > registers[index]) registers[index] = rank
}

/**
 * 52 bits of two 32-bit hashes with good avalanche (A. Appleby's MurmurHash3 finalizer after FNV-like mixing). Stored
 * sketches have these hashes of key bytes: after a change of either, the codec needs another name.
 */
function hashOf(key: string): number {
  let a = 0x9e3779b9 ^ key.length
  let b = 0x85ebca6b
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    a = Math.imul(a ^ unit, 0xcc9e2d51)
    a = (a << 15) | (a >>> 17)
    b = Math.imul(b ^ unit, 0x1b873593) + a
    b = (b << 13) | (b >>> 19)
  }
  return (mix(a ^ (b >>> 7)) % 2 ** 20) * 2 ** 32 + mix(b + a)
}

function mix(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
