import { LogweirError } from '../../base/errors.js'
import { compilePattern } from '../../base/pattern/pattern.js'
import { requiredLiteral } from '../../base/pattern/required-literal.js'
import { threadCpuMs } from '../../base/process/thread-cpu.js'
import { type Finder, NO_PARTS, type Part } from './finder.js'
import { splitAtGroup } from './group.js'
import { plainPart } from './plain-part.js'

/**
 * CPU time for the matches of a pattern in a text. RE2 finds a match in linear time, but some patterns look up to the
 * end of the text for each match. The rest of the text is masked then.
 */
const MAX_MS = 50
/** Matches between two looks at the CPU time. */
const LOOK_MATCHES = 64

/**
 * Returns the finder of a caller's pattern: of the first group if there is one, else of the match. Throws
 * `invalid_pattern`.
 */
export function patternFinder(pattern: string): Finder {
  const { re2, hasGroup } = compile(pattern)
  const literal = requiredLiteral(pattern)

  function find(text: string): readonly Part[] {
    if (!text.includes(literal)) return NO_PARTS
    // On bytes, RE2 does not convert the text for each match.
    const bytes = Buffer.from(text)
    const parts: Part[] = []
    const startedMs = threadCpuMs()
    try {
      for (let at = 0, matches = 1; at <= bytes.length; matches++) {
        re2.lastIndex = at
        const match = re2.exec(bytes)
        if (match === null) break
        const { 0: whole, 1: before, 2: group } = match
        const end = match.index + whole.length
        // An empty match masks nothing.
        at = Math.max(end, at + 1)
        const start = match.index + (hasGroup ? before!.length : 0)
        const length = hasGroup ? (group?.length ?? 0) : whole.length
        if (length > 0) parts.push({ start, end: start + length })
        if (matches % LOOK_MATCHES !== 0 || threadCpuMs() - startedMs <= MAX_MS) continue
        parts.push({ start: end, end: bytes.length })
        break
      }
    } catch {
      // The engine in JavaScript gives up long texts. A text that cannot be searched is masked.
      return [{ start: 0, end: text.length }]
    }
    return bytes.length === text.length ? parts : inUnits(parts, bytes)
  }

  const trigger = plainPart(literal)
  return {
    characters: [...literal].find((character) => character < '\x80'),
    triggers: trigger === '' ? undefined : [trigger],
    digits: 0,
    find,
  }
}

function compile(text: string) {
  const { re2, groups } = compilePattern(text, 'g')
  if (groups === 0) return { re2, hasGroup: false }
  const split = splitAtGroup(text)
  if (split !== undefined) return { re2: compilePattern(split, 'g').re2, hasGroup: true }
  throw new LogweirError(
    'invalid_pattern',
    'The first group of the pattern is in another group or an alternative, or flags change before it. Write the ' +
      'groups around it as (?:…), and flags at the start.',
  )
}

/** Returns parts in UTF-16 units, given the parts in bytes of UTF-8. */
function inUnits(parts: readonly Part[], bytes: Buffer): Part[] {
  let at = 0
  let units = 0
  const unitsAt = (place: number) => {
    units += bytes.toString('utf8', at, place).length
    at = place
    return units
  }
  return parts.map(({ start, end }) => ({ start: unitsAt(start), end: unitsAt(end) }))
}
