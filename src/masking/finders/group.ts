/** A token of a pattern: a quotation, an escape, a character class, flags, the start or the end of a group. */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|\((?:\?[^:)>]*[:)>])?|./gsu
const CAPTURING = /^\((?:\?P?<.*)?$/s
const FLAGS = /^\(\?.*\)$/s

/**
 * Returns the pattern with a group around all that stands before the first group, since RE2 does not say where a group
 * starts: the first group of the result is the text before, the second is the group. Undefined if the first group is
 * in another group or an alternative, or flags change before the group.
 */
export function splitAtGroup(pattern: string): string | undefined {
  let depth = 0
  let at = 0
  let flags = ''
  let groupAt: number | undefined
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (CAPTURING.test(token) && groupAt === undefined) {
      if (depth > 0) return undefined
      groupAt = at
    }
    if (token === '|' && depth === 0) return undefined
    if (FLAGS.test(token) && groupAt === undefined) {
      if (at > flags.length) return undefined
      flags += token
    } else if (token.startsWith('(') && !FLAGS.test(token)) depth++
    else if (token === ')') depth--
    at += token.length
  }
  const start = groupAt ?? at
  return `${flags}(${pattern.slice(flags.length, start)})${pattern.slice(start)}`
}
