import type { Finder, Part } from './finders/finder.js'
import type { Treat } from './treatment.js'

/** A rule that masks parts of texts. */
export interface TextRule {
  /** The number of the rule in the file, from 0. */
  rule: number
  finder: Finder
  treat: Treat
}

/** A part of a text, and the rule that masks the part. */
interface MaskedPart extends Part {
  by: TextRule
}

/**
 * Masks the parts of a text that rules find. `noteMasked` is called with the rule of each part. Parts that overlap are
 * masked as one, by the first rule of the file. Returns undefined if the text has none.
 */
export function maskText(
  text: string,
  rules: readonly TextRule[],
  noteMasked: (rule: number) => void,
): string | undefined {
  const parts: MaskedPart[] = []
  for (const by of rules) for (const { start, end } of by.finder.find(text)) parts.push({ start, end, by })
  if (parts.length === 0) return undefined
  parts.sort((a, b) => a.start - b.start)
  let masked = ''
  let copied = 0
  for (const { start, end, by } of merged(parts)) {
    const { finder, treat, rule } = by
    const value = text.slice(start, end)
    masked += text.slice(copied, start) + (treat(finder.normalize?.(value) ?? value) ?? '')
    copied = end
    noteMasked(rule)
  }
  return masked + text.slice(copied)
}

/** Joins parts that overlap. The parts are sorted by their start. */
function merged(parts: readonly MaskedPart[]): MaskedPart[] {
  const joined: MaskedPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (last === undefined || part.start >= last.end) joined.push({ ...part })
    else {
      last.end = Math.max(last.end, part.end)
      if (part.by.rule < last.by.rule) last.by = part.by
    }
  }
  return joined
}
