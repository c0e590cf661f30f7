/** Handlers of the search box. Words are searched while the user types; filters become chips on Enter. */
import type { FilterEntry } from '../../api/explore.js'
import { conditionsIn, withFilter } from './filters.js'
import type { Handlers, Step } from './message.js'
import type { Model } from './model.js'
import { boxText, phraseNote, readSearch } from './search-text.js'
import { sourceNamed } from './sources.js'
import type { State } from './state.js'

/** Milliseconds without a key before the words in the box are searched. */
const TYPING_MS = 300

const aliasesOf = ({ source }: State) => sourceNamed(source).aliases
const readBox = ({ box, asked }: Model) => readSearch(box, aliasesOf(asked))

/** Returns the text of the box for a state. The text stays as entered, unless the search changes. */
export function boxAfter(model: Model, state: State): string {
  const isSearched = state.search === model.asked.search || state.search === readBox({ ...model, asked: state }).search
  return isSearched ? model.box : boxText(state.search)
}

/** Returns a note about the text in the box, or empty. */
export const boxNote = ({ box, asked }: Pick<Model, 'box' | 'asked'>): string => phraseNote(box, aliasesOf(asked))

/** Returns the words to search while the user types, or undefined if there is nothing to search. */
function newWords(model: Model): string | undefined {
  const { filters, search, problem } = readBox(model)
  return filters.length > 0 || problem !== undefined || search === model.asked.search ? undefined : search
}

function submit(model: Model): Step {
  const { problem, filters } = readBox(model)
  if (problem !== undefined) return [{ ...model, problem }]
  if (!filters.flatMap(conditionsIn).some(({ op }) => op === 'matches')) return accept(model)
  return [model, { kind: 'checkPatterns', box: model.box, state: model.asked, filters }]
}

/** Turns the filters in the box into chips. */
function accept(model: Model): Step {
  const { asked } = model
  const read = readBox(model)
  const filters = read.filters.reduce<readonly FilterEntry[]>(withFilter, asked.filters)
  // A text in quotes keeps the quotes: without them, the text would be a phrase.
  const box = read.filters.length > 0 ? boxText(read.search, boxNote(model) !== '') : model.box
  const next = { ...model, box, problem: '' }
  const isStep = filters.length !== asked.filters.length
  if (!isStep && read.search === asked.search) return [next]
  return [next, { kind: 'change', next: { filters, search: read.search, record: '' }, isStep }]
}

/** Handlers of the messages of the box. The text may have been changed since a pause or a check began. */
export const fromBox = {
  typed(model, { box }) {
    const next = { ...model, box, problem: '' }
    if (newWords(next) === undefined) return [next]
    return [next, { kind: 'wait', ms: TYPING_MS, message: { kind: 'typingPaused', box } }]
  },
  typingPaused(model, { box }) {
    const search = box === model.box ? newWords(model) : undefined
    return search === undefined ? [model] : [model, { kind: 'change', next: { search, record: '' }, isStep: false }]
  },
  submitted: (model, { box }) => submit({ ...model, box }),
  patternsChecked(model, { box, problem }) {
    if (box !== model.box) return [model]
    return problem === undefined ? accept(model) : [{ ...model, problem }]
  },
} satisfies Partial<Handlers>
