import type { JobFilters } from '../job-queries'
import { parseSearch, type SearchTerm, type WordTerm } from './parse-search'
import type { WordKey } from './search-keys'

/** A value as it is written in a search: in quotes if it needs them. */
export function quoteValue(value: string): string {
  return /^[^\s,"\\]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}

function formatWords({ key, values }: WordTerm): string {
  return `${key}:${values.map(quoteValue).join(',')}`
}

/** The filters of the list that are parameters of their own. They mean the same as terms of a search. */
export function filtersToTerms(filters: Partial<JobFilters>): WordTerm[] {
  const { status, user_id, competition_id, project_id, tag, starred } = filters
  const given: [WordKey, string | undefined][] = [
    ['status', status],
    ['user', user_id],
    ['competition', competition_id],
    ['project', project_id],
    ['tag', tag],
    ['is', starred ? 'starred' : undefined],
  ]
  return given.flatMap(([key, value]) => (value === undefined ? [] : [{ key, values: [value] }]))
}

/** The text of a search with these filters. */
export function filtersToText(filters: Partial<JobFilters>): string {
  return [...filtersToTerms(filters).map(formatWords), ...(filters.q ? [filters.q.trim()] : [])].join(' ')
}

/** The only value of a key in a search; undefined: it has none, or several. */
export function singleValue(text: string, key: WordKey): string | undefined {
  const parsed = parseSearch(text)
  if (!parsed.ok) return undefined
  const found = parsed.terms.filter((term): term is WordTerm => term.key === key)
  const [only] = found
  return found.length === 1 && only?.values.length === 1 ? only.values[0] : undefined
}

/** The text of a search in which a key has one value, or none. The other terms keep their text. */
export function withValue(text: string, key: WordKey, value: string | null): string {
  const rest = splitTerms(text).filter(
    (term) => !term.toLowerCase().startsWith(`${key}:`) && !term.toLowerCase().startsWith(`${key}=`),
  )
  return [...rest, ...(value === null ? [] : [formatWords({ key, values: [value] })])].join(' ')
}

/** The texts of the terms. Spaces in quotes separate none. */
export function splitTerms(text: string): string[] {
  return text.match(/(?:"(?:\\.|[^"\\])*"?|[^\s"])+/g) ?? []
}

/** The words of a search that are not tied to a key. */
export function textOf(terms: readonly SearchTerm[]): string {
  return terms.flatMap((term) => (term.key === 'text' ? [term.text] : [])).join(' ')
}
