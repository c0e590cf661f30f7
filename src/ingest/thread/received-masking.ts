import { createMasker, type Masker } from '../../masking/lines/masker.js'
import type { MaskCounts, Masking } from '../../masking/rule.js'

/** The rules that mask records in a parsing thread. */
export interface ReceivedMasking {
  /** Returns the rules in force. */
  masker(): Masker
  /** Returns the numbers of values that were masked since the last call. Undefined if there are none. */
  takeCounts(): MaskCounts | undefined
  /** Replaces the rules. */
  replace(changed: Masking): void
}

/** Returns the rules that a thread starts with. */
export function receiveMasking(first: Masking): ReceivedMasking {
  let masker = createMasker(first)
  /** Of the rules before, not taken yet. */
  let before: MaskCounts | undefined
  return {
    masker: () => masker,
    takeCounts() {
      const counts = sumOf(before, masker.takeCounts())
      before = undefined
      return counts
    },
    replace(changed) {
      before = sumOf(before, masker.takeCounts())
      masker = createMasker(changed)
    },
  }
}

function sumOf(a: MaskCounts | undefined, b: MaskCounts | undefined): MaskCounts | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const sum = new Map(a)
  for (const [rule, values] of b) sum.set(rule, (sum.get(rule) ?? 0) + values)
  return sum
}
