/** The look of the editor: the properties of the page's styles reach into the editor's shadow tree. */
import { EditorView } from '@codemirror/view'

const BORDER = '1px solid var(--line)'

/** Sizes and colours of the editor and of the list of suggestions. */
export const theme = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--card)',
    border: BORDER,
    borderRadius: '6px',
    fontSize: '0.85rem',
    minHeight: '8rem',
    maxHeight: '24rem',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.5rem 0', minHeight: '8rem' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'transparent', border: 'none' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--mark)', outline: 'none' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent', color: 'var(--danger)' },
  '.cm-wrong': { textDecoration: 'underline wavy var(--danger)', textUnderlineOffset: '3px' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--card)',
    border: '1px solid var(--muted)',
    borderRadius: '6px',
    boxShadow: '0 6px 24px rgb(0 0 0 / 18%)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem', lineHeight: '1.4' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail': { color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', fontSize: '0.9em' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-snippetField': { backgroundColor: 'var(--mark)' },
})
