import type { SourceName } from '../common/sources.js'
import type { BuiltIn } from './finders/built-in.js'

/** The ways to mask a value: remove it, replace it, replace all but its end, or replace it by a keyed hash. */
export const TREATMENTS = ['drop', '***', 'last4', 'hash'] as const
/** A way to mask a value. */
export type Treatment = (typeof TREATMENTS)[number]

/** The part of records that a rule masks: the values at a path, or the texts that a pattern finds. */
export type Masked = { path: readonly string[] } | { pattern: string } | { builtin: BuiltIn }

/** The key of a path that stands for any number of keys, also none. */
export const ANY_KEYS = '*'

/** A rule of a file of masks. Plain data, which threads receive. */
export interface MaskRule {
  /** The name of the rule in metrics. Several rules may have a name. */
  name: string
  /** The source of the records. Undefined: all sources. */
  source: SourceName | undefined
  masked: Masked
  with: Treatment
}

/** The rules that are in force, in the order of the file, and the key of hashes. Plain data. */
export interface Masking {
  rules: readonly MaskRule[]
  key: Uint8Array
}

/** The number of masked values by the name of the rule. */
export type MaskCounts = ReadonlyMap<string, number>
