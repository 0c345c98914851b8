import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/*
 * All colours are tokens of the page, so one theme serves both light and dark.
 */

const baseTheme = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: '0.8125rem', height: '100%' },
  // The border of the editor shows the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-geist-mono), ui-monospace, monospace', lineHeight: '1.25rem' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 12px 0 8px' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--subtle)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 4px 0 8px', minWidth: '2.5ch' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--hover) 60%, transparent)' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '1.5px' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--pressed)', outline: '1px solid var(--edge)' },
  '.cm-placeholder': { color: 'var(--subtle)' },
  '.cm-gutter-lint': { width: '1.25rem' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    boxShadow: '0 8px 24px color-mix(in oklab, var(--shadow-tint) 14%, transparent)',
  },
  '.cm-diagnostic': {
    padding: '4px 8px',
    borderLeft: 'none',
    fontFamily: 'var(--font-geist-sans), sans-serif',
  },
  '.cm-linked-line': { backgroundColor: 'var(--danger-soft)', boxShadow: 'inset 2px 0 var(--danger)' },
  '.cm-problem-line': { backgroundColor: 'var(--danger-soft)' },
  '.cm-problem-note': {
    padding: '2px 12px 4px 8px',
    backgroundColor: 'var(--danger-soft)',
    borderBottom: '1px solid var(--danger-line)',
    color: 'var(--danger-ink)',
    fontFamily: 'var(--font-geist-sans), sans-serif',
    fontSize: '0.75rem',
    lineHeight: '1rem',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
  '.cm-problem-line.cm-warning': { backgroundColor: 'var(--warning-soft)' },
  '.cm-problem-note.cm-warning': {
    backgroundColor: 'var(--warning-soft)',
    borderBottomColor: 'var(--warning-line)',
    color: 'var(--warning-ink)',
  },
})

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent-ink)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--success-ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warning-ink)' },
  { tag: [tags.comment, tags.meta], color: 'var(--subtle)', fontStyle: 'italic' },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))],
    color: 'var(--info-ink)',
  },
  { tag: [tags.className, tags.definition(tags.propertyName), tags.propertyName], color: 'var(--info-ink)' },
  { tag: [tags.punctuation, tags.separator, tags.bracket, tags.operator], color: 'var(--muted)' },
  { tag: tags.invalid, color: 'var(--danger-ink)' },
])

/** The editor's theme in the page's colours. */
export const editorTheme: Extension = [baseTheme, syntaxHighlighting(colours)]
