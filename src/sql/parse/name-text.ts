import { RESERVED } from '../../common/sql-words.js'

/** Returns a name as spelled in SQL, with backticks around steps that are no plain words. */
export const nameText = (steps: readonly string[]): string => steps.map(stepText).join('.')

function stepText(step: string): string {
  if (/^[A-Za-z_]\w*$/.test(step) && !RESERVED.has(step.toLowerCase())) return step
  return `\`${step.replace(/[\\`]/g, '\\$&')}\``
}
