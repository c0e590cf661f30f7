import { escapeControl } from '../../base/text/escape-control.js'
import { labelOf } from '../states/labels.js'
import { requestJson, type ToldAlert } from './told-alert.js'

/** The most alerts of a message. */
export const MAX_MESSAGE_ALERTS = 20
/** The longest message, in UTF-16 code units. */
export const MAX_MESSAGE_CHARACTERS = 3_000
/** The room for the last line, which counts the alerts that are left out. */
const REST_CHARACTERS = 40

/** Labels that the beginning of a line has. */
const SHOWN_BEFORE: ReadonlySet<string> = new Set(['alertname', 'severity'])
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Returns a message of Slack: a line for each alert, at most 20 alerts and 3,000 characters, and the number of the
 * others. Texts that could call a user or a channel are escaped.
 */
export function slackBody(alerts: readonly ToldAlert[]): string {
  const lines: string[] = []
  let room = MAX_MESSAGE_CHARACTERS - REST_CHARACTERS
  for (const alert of alerts.slice(0, MAX_MESSAGE_ALERTS)) {
    const line = escapedWithin(lineOf(alert), MAX_MESSAGE_CHARACTERS - REST_CHARACTERS - 1)
    if (line.length + 1 > room) break
    lines.push(line)
    room -= line.length + 1
  }
  const rest = alerts.length - lines.length
  return requestJson({ text: [...lines, ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n') })
}

function lineOf({ state, labels, text }: ToldAlert): string {
  const [name = '', severity = ''] = [labelOf(labels, 'alertname'), labelOf(labels, 'severity')]
  const others = labels.filter(([label]) => !SHOWN_BEFORE.has(label)).map(([label, value]) => `${label}=${value}`)
  const shown = others.length === 0 ? '' : ` (${others.join(', ')})`
  return `${state.toUpperCase()} ${severity} ${name}: ${text}${shown}`
}

/** Escapes the characters that could call a user or a channel. */
export const escapedForSlack = (text: string): string => text.replace(/[&<>]/g, (character) => ENTITIES[character]!)

/** Escapes a line, cut so that the result has at most `most` characters. */
function escapedWithin(line: string, most: number): string {
  let result = ''
  for (const character of escapeControl(line)) {
    const escaped = ENTITIES[character] ?? character
    if (result.length + escaped.length > most - 1) return `${result}…`
    result += escaped
  }
  return result
}
