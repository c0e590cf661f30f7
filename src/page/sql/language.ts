/** Colours and suggestions of a query, for the editor. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeCompletion,
  completionStatus,
  snippet,
  startCompletion,
} from '@codemirror/autocomplete'
import { SQLDialect } from '@codemirror/lang-sql'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { AGGREGATE_CALLS, CAST_TYPE_NAMES, FUNCTION_CALLS } from '../../common/sql-words.js'
import { templateOfCall } from './call-template.js'
import { namesOf } from './names.js'
import { type Sources, type Suggestion, suggestionsAt } from './suggestions.js'
import { TEMPLATES } from './templates.js'
import { tokensOf } from './tokens.js'
import { COLUMNS, KEYWORDS } from './words.js'

const isNoColumn = (word: string) => !COLUMNS.includes(word)

const dialect = SQLDialect.define({
  // Units of time and `timestamp` are mostly names of columns.
  keywords: KEYWORDS.join(' '),
  types: CAST_TYPE_NAMES.filter(isNoColumn).join(' '),
  builtin: Object.keys({ ...AGGREGATE_CALLS, ...FUNCTION_CALLS })
    .filter(isNoColumn)
    .join(' '),
  backslashEscapes: true,
  hashComments: true,
  doubleQuotedStrings: true,
  caseInsensitiveIdentifiers: true,
  identifierQuotes: '`',
  specialVar: '@',
  operatorChars: '*+-%<>!=&|~^/:',
})

/** The colours are properties of the page's styles, which follow the theme. */
const colors = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.standard(tags.name), color: 'var(--series-4)' },
  { tag: tags.typeName, color: 'var(--series-4)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--series-3)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--series-2)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--muted)', fontStyle: 'italic' },
])

/** Names of the symbols that CodeMirror shows next to suggestions. */
const SYMBOLS: Readonly<Record<Suggestion['kind'], string>> = {
  source: 'class',
  column: 'property',
  field: 'property',
  name: 'variable',
  aggregate: 'function',
  function: 'function',
  keyword: 'keyword',
  unit: 'constant',
  type: 'type',
}

/** The sources, for suggestions. */
export interface LanguageSources {
  /** Returns the names of the sources. */
  names(): readonly string[]
  /** Returns the known fields of a source, or empty if none is known yet. */
  fieldsOf: Sources['fieldsOf']
  /** Loads the fields of sources that are not known yet. */
  load(sources: readonly string[]): Promise<void>
}

/** The time that suggestions wait for the fields of a source, in milliseconds. Later fields are added to the list. */
const FIELDS_WAIT_MS = 300

/** Returns the language of queries. Fields are loaded when words are suggested, not before. */
export function sqlLanguage(known: LanguageSources): Extension {
  const complete = (context: CompletionContext) => completionsOf(context, known)
  return [
    dialect.language,
    syntaxHighlighting(colors),
    autocompletion({ override: [complete], icons: false, maxRenderedOptions: 60 }),
  ]
}

/** Number of times that suggestions were closed by {@link closeSuggestions}. */
let closings = 0

/** Closes the list of suggestions, and opens none for fields that are still loading. */
export function closeSuggestions(view: EditorView): void {
  closings++
  closeCompletion(view)
}

async function completionsOf(context: CompletionContext, known: LanguageSources): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context
  const text = state.doc.toString()
  const closed = closings
  if (text.trim() === '') return explicit ? { from: 0, to: text.length, options: TEMPLATES.map(templateOf) } : null
  const names = known.names()
  const loading = known.load(namesOf(tokensOf(text), names).sources).then(() => true)
  const wait = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), FIELDS_WAIT_MS))
  const isLoaded = await Promise.race([loading, wait])
  if (!isLoaded) void loading.then(() => closed === closings && suggestAgain(context))
  const found = suggestionsAt(text, pos, { names, fieldsOf: known.fieldsOf })
  // While nothing of a name is written, a list would only be in the way.
  if (found === undefined || (!explicit && found.from === pos && text[pos - 1] !== '.')) return null
  const options = found.options.map(completionOf)
  // Without `validFor`, the list is made again at each letter.
  return isLoaded ? { from: found.from, options, validFor: /^\w*$/ } : { from: found.from, options }
}

/** Adds the loaded fields to an open list, or opens a list if the cursor has not moved. */
function suggestAgain({ view, pos }: CompletionContext): void {
  if (view === undefined || !view.hasFocus) return
  if (completionStatus(view.state) !== null || view.state.selection.main.head === pos) startCompletion(view)
}

const templateOf = ({ title, sql }: (typeof TEMPLATES)[number]): Completion => ({ label: title, apply: sql })

function completionOf({ label, kind, call, boost }: Suggestion): Completion {
  const shown = { label, type: SYMBOLS[kind], boost }
  if (call === undefined) return { ...shown, detail: kind }
  return { ...shown, detail: call.slice(label.length), apply: snippet(templateOfCall(call)) }
}
