/** How far a file is, as a bar and a text. */
import { element } from '../shared/dom.js'
import { count } from '../shared/format.js'
import type { Progress } from './save.js'

const [KIB, MIB] = [1_024, 1_048_576]

/** Returns a number of bytes: `812 B`, `12 KiB`, `3.4 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`
  return bytes < MIB ? `${Math.round(bytes / KIB)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`
}

/** Returns progress as a text: `12,000 of 150,000 rows, 4.1 MiB`. */
function progressText({ rows, total, bytes }: Progress): string {
  const all = total === undefined ? '' : ` of ${count(total)}`
  return `${count(rows)}${all} rows, ${sizeText(bytes)}`
}

/** Creates the bar with the text. */
export function createProgress() {
  const bar = element('progress', { 'aria-label': 'Rows that were read' })
  const text = element('p', { class: 'fine' })
  const waiting = element('p', { class: 'fine', role: 'status' })
  const root = element('div', { class: 'export-progress' }, bar, text, waiting)
  return {
    root,
    begin() {
      bar.removeAttribute('value')
      text.textContent = 'Counting the rows …'
      waiting.textContent = ''
    },
    show(progress: Progress) {
      if (progress.total !== undefined && progress.total > 0) {
        bar.max = progress.total
        bar.value = Math.min(progress.rows, progress.total)
      }
      text.textContent = progressText(progress)
    },
    /** Shows why saving takes time. Empty: no reason. */
    wait(reason: string) {
      if (waiting.textContent !== reason) waiting.textContent = reason
    },
  }
}
