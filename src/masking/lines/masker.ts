import type { SourceName } from '../../common/sources.js'
import { FINDERS } from '../finders/built-in.js'
import { patternFinder } from '../finders/pattern.js'
import type { TextRule } from '../mask-text.js'
import type { MaskCounts, Masking, MaskRule } from '../rule.js'
import { createTreatments, type Treat } from '../treatment.js'
import { createByteClasses } from './byte-classes.js'
import { createEdits } from './edits.js'
import { LineMasker, type RecordNames, type RecordPlace, type SourceRules } from './mask-line.js'
import { createPaths, type RulePath } from './path-states.js'
import { type Triggers, triggersOf } from './triggers.js'

/** Masks the lines of records. */
export interface Masker {
  /** The texts and numbers of which a line that is to be masked has one. */
  readonly triggers: Triggers
  /**
   * Writes the masked record to `to` in the same bytes. Returns its length, 0 if the record has nothing to be masked.
   * A record of more than `maxBytes` is not written.
   */
  mask(record: RecordPlace, source: SourceName, names: RecordNames, to: number, maxBytes: number): number
  /** Returns the numbers of values that were masked since the last call. Undefined if there are none. */
  takeCounts(): MaskCounts | undefined
}

/** Returns a masker for some rules. Throws `invalid_pattern`. */
export function createMasker({ rules, key }: Masking): Masker {
  const treatments = createTreatments(key)
  const finders = rules.map(finderOf)
  /** Sources that no rule names share a masker: a sender makes up names. */
  const named = new Set(rules.map(({ source }) => source))
  const bySource = new Map<SourceName | undefined, LineMasker>()
  const edits = createEdits()
  let counts = new Map<string, number>()

  function maskerOf(source: SourceName): LineMasker {
    const name = named.has(source) ? source : undefined
    let ofSource = bySource.get(name)
    if (ofSource === undefined) {
      ofSource = new LineMasker(rulesOf(name), edits, noteMasked)
      bySource.set(name, ofSource)
    }
    return ofSource
  }

  function rulesOf(source: SourceName | undefined): SourceRules {
    const paths: RulePath[] = []
    const texts: TextRule[] = []
    const treats = new Map<number, Treat>()
    rules.forEach(({ masked, with: treatment, source: only }, rule) => {
      if (only !== undefined && only !== source) return
      const treat = treatments[treatment]
      if ('path' in masked) {
        paths.push({ path: masked.path, rule })
        treats.set(rule, treat)
      } else texts.push({ rule, finder: finders[rule]!, treat })
    })
    return { start: createPaths(paths), classes: createByteClasses(texts), treats }
  }

  function noteMasked(rule: number): void {
    const { name } = rules[rule]!
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }

  return {
    triggers: triggersOf(rules, finders),
    mask(record, source, names, to, maxBytes) {
      edits.clear()
      maskerOf(source).mask(record, names)
      if (edits.isEmpty()) return 0
      const { bytes, start, end } = record
      const length = edits.lengthOf(start, end)
      if (length <= maxBytes) edits.write(bytes, start, end, to)
      return length
    },
    takeCounts() {
      if (counts.size === 0) return undefined
      const taken = counts
      counts = new Map()
      return taken
    },
  }
}

const finderOf = ({ masked }: MaskRule) => {
  if ('builtin' in masked) return FINDERS[masked.builtin]
  return 'pattern' in masked ? patternFinder(masked.pattern) : undefined
}
