import { quoteValue, splitTerms } from './format-search'
import {
  amountKeys,
  fixedValues,
  isWordKey,
  metricKey,
  metricPrefix,
  type SuggestedKey,
  suggestedKeys,
  type WordKey,
  wordKeys,
} from './search-keys'

/** A text that can replace what is typed. */
export interface Completion {
  /** Shown. */
  label: string
  hint?: string
  insert: string
}

/** What can be completed at the caret. */
export interface CompletionPoint {
  /** The part of the text that a completion replaces. */
  from: number
  to: number
  /** Completions that are known without the server. */
  completions: Completion[]
  /** The values that the server is asked for. */
  asks: { key: SuggestedKey; text: string } | null
}

const isSuggested = (key: string): key is SuggestedKey => suggestedKeys.some((known) => known === key)

/** Finds what can be completed before the caret: first keys, then their values. */
export function completeSearch(text: string, caret: number, { admin }: { admin: boolean }): CompletionPoint {
  const before = text.slice(0, caret)
  const term = /\s$/.test(before) ? '' : (splitTerms(before).at(-1) ?? '')
  const point = { from: caret - term.length, to: caret }
  const [, name = '', written = ''] = /^-?([a-z_]+)[:=](.*)$/is.exec(term) ?? []
  const key = name.toLowerCase()
  if (isWordKey(key)) return { ...point, ...completeValue(key, written, point.to) }
  if (term.toLowerCase().startsWith(metricPrefix) && !/[<>=:]/.test(term)) {
    const typed = unquote(term.slice(metricPrefix.length))
    return { ...point, from: point.from, completions: [], asks: { key: 'metric', text: typed } }
  }
  return { ...point, completions: completeKey(term, admin), asks: null }
}

function completeValue(key: WordKey, written: string, to: number): Omit<CompletionPoint, 'to'> {
  const last = splitTerms(written.replace(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/g, ' ')).at(-1) ?? ''
  const typed = written === '' || written.endsWith(',') ? '' : last
  const text = unquote(typed)
  const known: readonly string[] = key === 'status' || key === 'is' ? fixedValues[key] : []
  return {
    from: to - typed.length,
    completions: known
      .filter((value) => value.startsWith(text.toLowerCase()))
      .map((value) => toCompletion(value)),
    asks: isSuggested(key) ? { key, text } : null,
  }
}

/** The completion for a value that the server knows. */
export function completeWith(key: SuggestedKey, value: string): Completion {
  if (key !== 'metric') return toCompletion(value)
  const name = /^[^\s:<>="\\]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
  return { label: value, insert: `${metricPrefix}${name}` }
}

function toCompletion(value: string): Completion {
  return { label: value, insert: `${quoteValue(value)} ` }
}

function completeKey(typed: string, admin: boolean): Completion[] {
  const not = typed.startsWith('-') ? '-' : ''
  const words = Object.entries(wordKeys)
    .filter(([key]) => admin || key !== 'user')
    .map(([key, { about, example }]) => ({
      label: `${not}${key}:`,
      hint: `${not && 'without: '}${about}, ${not}${example}`,
      insert: `${not}${key}:`,
    }))
  const keys = [
    ...words,
    { label: metricPrefix, hint: `${metricKey.about}, ${metricKey.example}`, insert: metricPrefix },
    ...Object.entries(amountKeys).map(([key, { about, example }]) => ({
      label: key,
      hint: `${about}, ${example}`,
      insert: example.slice(0, key.length + 1),
    })),
  ]
  return keys.filter(({ label }) => label.startsWith(typed.toLowerCase()) && label !== typed.toLowerCase())
}

function unquote(text: string): string {
  return text.replace(/^"|"$/g, '').replaceAll(/\\(.)/g, '$1')
}
