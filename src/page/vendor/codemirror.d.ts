/** scripts/build-page.mjs bundles the parts of CodeMirror that are named here, next to the page's modules. */
export {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
  snippet,
  startCompletion,
} from '@codemirror/autocomplete'
export { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
export { SQLDialect } from '@codemirror/lang-sql'
export { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language'
export { EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state'
export { Decoration, type DecorationSet, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
export { tags } from '@lezer/highlight'
