/**
 * The editor of a query. It is in a shadow tree, in which CodeMirror uses constructed style sheets: in the document,
 * CodeMirror would add `<style>` elements, which the page's Content Security Policy forbids.
 */

import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, indentUnit } from '@codemirror/language'
import { EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { element } from '../shared/dom.js'
import { theme } from './editor-theme.js'
import { closeSuggestions } from './language.js'

/** The interface of the editor to the view. */
export interface Editor {
  text(): string
  /** Replaces the text. The user can undo the change. */
  show(text: string): void
  focus(): void
  /** Marks the word or character at an offset as wrong, until the text is changed or marked again. */
  mark(offset: number): void
  unmark(): void
  /** Moves the cursor to an offset, and into view. */
  moveTo(offset: number): void
}

/** Callbacks of the editor. */
export interface EditorHost {
  run(): void
  /** Called after each change of the text. */
  onChange(text: string): void
}

/** Creates the editor at the end of an element. `language`: colours and suggestions. */
export function createEditor(place: HTMLElement, language: Extension, host: EditorHost): Editor {
  const shadowHost = element('div', { class: 'sql-editor' })
  place.append(shadowHost)
  const root = shadowHost.attachShadow({ mode: 'open' })
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({ extensions: extensions(language, host) }),
  })
  return {
    text: () => view.state.doc.toString(),
    show(text) {
      if (text === view.state.doc.toString()) return
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } })
    },
    focus: () => view.focus(),
    mark: (offset) => view.dispatch({ effects: setMark.of(offset) }),
    unmark: () => view.dispatch({ effects: setMark.of(undefined) }),
    moveTo(offset) {
      const anchor = Math.min(offset, view.state.doc.length)
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
      view.focus()
    },
  }
}

/** The hint for screen readers is in the label: a description outside of a shadow tree has no effect. */
const LABEL = 'Query in SQL. Control Enter runs it, Control Space suggests words, Tab leaves the editor.'

function extensions(language: Extension, host: EditorHost): Extension {
  const run = (view: EditorView) => {
    closeSuggestions(view)
    host.run()
    return true
  }
  return [
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run, preventDefault: true }])),
    // Tab is not among the keys, so that Tab leaves the editor.
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
    history(),
    lineNumbers(),
    closeBrackets(),
    bracketMatching(),
    indentUnit.of('  '),
    EditorView.lineWrapping,
    placeholder('select …'),
    EditorView.contentAttributes.of({ 'aria-label': LABEL, spellcheck: 'false', autocapitalize: 'off' }),
    EditorView.updateListener.of(({ docChanged, state }) => docChanged && host.onChange(state.doc.toString())),
    markField,
    replaceSelected,
    language,
    theme,
  ]
}

/**
 * Replaces selected text that is typed over. A browser that does so itself gives the new text a `style` attribute,
 * which the page's Content Security Policy blocks and reports.
 */
const replaceSelected = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { from, to, empty } = view.state.selection.main
    if (inputType !== 'insertText' || data === null || empty || view.composing) return false
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' })
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert))
    if (!isHandled) view.dispatch(insert())
    return true
  },
})

const setMark = StateEffect.define<number | undefined>()
const wrong = Decoration.mark({ class: 'cm-wrong' })

/** The mark of the wrong word or character. */
const markField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, docChanged, state }) {
    const set = effects.find((effect) => effect.is(setMark))
    if (set !== undefined) return set.value === undefined ? Decoration.none : markAt(state, set.value)
    return docChanged ? Decoration.none : marks
  },
  provide: (field) => EditorView.decorations.from(field),
})

function markAt(state: EditorState, offset: number): DecorationSet {
  const { length } = state.doc
  // At the end of the text, the last character is marked.
  const at = Math.min(offset, Math.max(0, length - 1))
  const word = state.wordAt(at)
  const [from, to] = word !== null && word.from === at ? [at, word.to] : [at, Math.min(at + 1, length)]
  return from === to ? Decoration.none : Decoration.set(wrong.range(from, to))
}
