import {
  addEntry,
  commentOf,
  type Entry,
  type EntryKeys,
  keyOf,
  summaryOf,
} from '../../front-matter/comment-entries.js'
import { type FilePlace, lineError, placeError } from '../../front-matter/place-error.js'
import { MAX_SUMMARY_CHARACTERS } from '../../user-endpoints/validate.js'
import type { Timing } from '../states/timing.js'
import { readAlertLine } from './alert-line.js'
import { type Mute, readMute } from './mute.js'

/** The content of the leading comments of a rule's file. */
export interface RuleMatter {
  timing: Timing
  /** The place of `-- alert:`, for faults that only the query shows. */
  alertPlace: FilePlace
  /** The name of a receiver. Undefined: the page alone shows the alerts. */
  notify: string | undefined
  severity: string
  /** The template of the text, and its place. Undefined: the summary, or the name of the rule. */
  text: Entry | undefined
  /** The columns of `-- labels:`. Undefined: the keys of the grouping. */
  labels: Entry | undefined
  muted: Mute | undefined
  summary: string | undefined
  /** The first line of the query. */
  queryLine: number
}

const KNOWN: EntryKeys<'alert' | 'severity' | 'text' | 'labels' | 'muted'> = {
  keys: ['alert', 'severity', 'text', 'labels', 'muted'],
}
/** The severity of a rule that says none. */
const DEFAULT_SEVERITY = 'warning'
const SEVERITY = /^[a-z][\w-]{0,63}$/i
const PARAM = /^param\s+\w+\s*:/i
/** An entry may be without a value: a rule without labels has at most one alert. */
const NO_LABELS = /^labels\s*:$/i

/**
 * Reads the comments above the query of a rule. Throws `usage` for a wrong line. The message ends with the line and, if
 * known, the column.
 */
export function readRuleMatter(text: string): RuleMatter {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => commentOf(line) === undefined)
  const above = lines.slice(0, end < 0 ? lines.length : end)
  const comments = above.map((line) => commentOf(line)!)
  const entries = new Map<(typeof KNOWN.keys)[number], Entry>()
  for (const [i, comment] of comments.entries()) {
    if (PARAM.test(comment)) throw lineError('a rule has no parameters: write their values in the query', i + 1)
    if (NO_LABELS.test(comment) && !entries.has('labels'))
      entries.set('labels', { value: '', line: i + 1, column: above[i].trimEnd().length + 1 })
    else addEntry(above[i], i + 1, KNOWN, entries)
  }
  refuseLaterEntries(lines, above.length)
  const alert = entries.get('alert')
  if (alert === undefined) throw lineError('there is no "-- alert: every 30s" above the query', 1)
  const muted = entries.get('muted')
  const isPlain = (comment: string) => comment !== '' && keyOf(comment, KNOWN) === undefined
  return {
    ...readAlertLine(alert),
    alertPlace: alert,
    severity: readSeverity(entries.get('severity')),
    text: entries.get('text'),
    labels: entries.get('labels'),
    muted: muted && readMute(muted),
    summary: summaryOf(comments, isPlain, MAX_SUMMARY_CHARACTERS),
    queryLine: above.length + 1,
  }
}

/** An entry within the query would be a plain comment. */
function refuseLaterEntries(lines: readonly string[], from: number): void {
  for (const [i, line] of lines.entries()) {
    const key = i < from ? undefined : keyOf(commentOf(line) ?? '', KNOWN)
    if (key !== undefined) throw lineError(`move "-- ${key}: …" above the query`, i + 1)
  }
}

function readSeverity(entry: Entry | undefined): string {
  if (entry === undefined || SEVERITY.test(entry.value)) return entry?.value ?? DEFAULT_SEVERITY
  throw placeError('the severity is not a word, such as critical', entry)
}
