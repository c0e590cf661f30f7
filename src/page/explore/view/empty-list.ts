/** The reason for a list without rows, with the ways to rows. */
import type { ProjectRow } from '../../api/explore.js'
import { buttonOf, element } from '../../shared/dom.js'
import { count } from '../../shared/format.js'
import { PRESETS, type Range } from '../../shared/range.js'
import { timestamp, zoneName } from '../../shared/times.js'
import { filterText, withoutFilter } from '../model/filters.js'
import type { Send } from '../model/message.js'
import type { Model } from '../model/model.js'
import { sourceNamed } from '../model/sources.js'
import type { State } from '../model/state.js'

type ChangeTo = (next: Partial<State>) => void

/** Returns why there are no rows, with buttons to change conditions, range or source. */
export function emptyList({ asked, projects }: Model, send: Send): Node[] {
  const changeTo: ChangeTo = (next) => send({ kind: 'changed', next, isStep: true })
  const conditions = removals(asked, changeTo)
  const known = projects?.filter(({ project }) => project === asked.project)
  // No condition is to blame if the project has no row at all.
  if (conditions.length === 0 || known?.length === 0) return missingText(asked, known, changeTo)
  const these = conditions.length === 1 ? 'this condition' : 'these conditions'
  const text = `No row of ${asked.source} matches ${these} in ${rangeText(asked.range)}.`
  return [paragraph(text), element('div', { class: 'choices' }, ...conditions)]
}

/** Returns the text for a project without rows. */
export const noRowsText = (project: string): string =>
  `No row of project “${project}” is stored. Check the project’s name, or send its logs.`

function missingText(
  { project, source, range: asked }: State,
  known: readonly ProjectRow[] | undefined,
  changeTo: ChangeTo,
): Node[] {
  const range = rangeText(asked)
  if (known === undefined) return [paragraph(`No row of ${source} in ${range}.`)]
  const here = known.find((row) => row.source === source)
  if (here !== undefined && here.rows > 0) {
    const newest = `${timestamp(here.newest)} ${zoneName()}`
    const go = buttonOf('Go to the newest row', () => changeTo({ range: rangeAround(here.newest), record: '' }))
    return [
      paragraph(`No row of ${source} in ${range}. The newest of its ${count(here.rows)} rows is of ${newest}.`),
      go,
    ]
  }
  if (known.length === 0) return [paragraph(noRowsText(project))]
  const others = known.map(({ source: other, rows }) =>
    buttonOf(`${other} (${count(rows)})`, () => changeTo({ source: other, filters: [], isErrors: false, record: '' })),
  )
  const text = `No row of ${source} is stored for this project. It has rows of:`
  return [paragraph(text), element('div', { class: 'choices' }, ...others)]
}

/** An hour that ends right after a time. */
const rangeAround = (us: number): Range => ({ fromUs: us - 3_600e6, toUs: us + 1 })

function removals({ filters, isErrors, search, source }: State, changeTo: ChangeTo): HTMLElement[] {
  const remove = (text: string, next: Partial<State>) => buttonOf(`Remove ${text}`, () => changeTo(next))
  const errors = `“Errors only”: ${sourceNamed(source).errors.text}`
  return [
    ...filters.map((filter) => remove(filterText(filter), { filters: withoutFilter(filters, filter), record: '' })),
    ...(isErrors ? [remove(errors, { isErrors: false })] : []),
    ...(search === '' ? [] : [remove(`“${search}”`, { search: '' })]),
  ]
}

/** Returns a range in words: `the last hour`, `the range from … to …`. */
function rangeText(range: Range): string {
  if ('preset' in range) return `the last ${PRESETS[range.preset].label}`
  const from = timestamp(range.fromUs)
  return range.toUs === undefined ? `the time since ${from}` : `the range from ${from} to ${timestamp(range.toUs)}`
}

/** Returns a paragraph of text. */
export const paragraph = (text: string): HTMLElement => element('p', {}, text)
