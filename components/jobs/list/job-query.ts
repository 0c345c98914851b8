import type { JobSearch } from '@/components/queries/job-search'
import { isPrintable, maxTagCharacters } from '@/lib/contract/config/label-text'
import { idPattern } from '@/lib/contract/id-pattern'
import type { JobFilters } from '@/lib/contract/job-queries'
import { filtersToText } from '@/lib/contract/search/format-search'
import { activeFirst, sortPattern } from '@/lib/contract/search/sort'
import { uploadStatuses } from '@/lib/contract/status'

/** Filters that earlier addresses have beside the search. They are shown as part of it. */
const filterNames = ['status', 'competition_id', 'project_id', 'user_id', 'tag', 'starred'] as const

const pageSize = 50

type Params = Pick<URLSearchParams, 'get'>
interface ListOptions {
  /** The list has the jobs of all users. */
  everyone: boolean
}

/** The text of the search in an address. It may have a mistake. */
export function readSearch(params: Params, { everyone }: ListOptions): string {
  const filters: Partial<JobFilters> = {}
  const status = uploadStatuses.find((known) => known === params.get('status'))
  if (status) filters.status = status
  for (const name of ['competition_id', 'project_id', ...(everyone ? (['user_id'] as const) : [])] as const) {
    const id = params.get(name) ?? ''
    if (idPattern.test(id)) filters[name] = id
  }
  const tag = params.get('tag')?.trim()
  if (tag && tag.length <= maxTagCharacters && isPrintable(tag)) filters.tag = tag
  if (params.get('starred') === 'true') filters.starred = true
  const q = params.get('q')
  if (q) filters.q = q
  return filtersToText(filters)
}

/** The API query of an address, without parameters that the API would reject. The search may still have a mistake. */
export function toJobQuery(params: Params, options: ListOptions): JobFilters {
  const query: JobFilters = { limit: pageSize }
  const q = readSearch(params, options)
  if (q) query.q = q
  const sort = params.get('sort') ?? ''
  query.sort = sortPattern.test(sort) ? sort : activeFirst
  if (options.everyone) query.all = true
  const cursor = params.get('cursor')
  if (cursor) query.cursor = cursor
  return query
}

/** What a list has, without its pages. */
export function searchOf({ limit: _limit, cursor: _cursor, ...search }: JobFilters): JobSearch {
  return search
}

/** The order of a list as in its address; null: active jobs first. */
export function sortOfQuery({ sort }: Pick<JobFilters, 'sort'>): string | null {
  return sort === undefined || sort === activeFirst ? null : sort
}

/** The address with another search, at the first page. */
export function withSearch(params: URLSearchParams, text: string): URLSearchParams {
  const none = Object.fromEntries(filterNames.map((name) => [name, null]))
  return changed(params, { ...none, q: text.trim() || null, cursor: null })
}

/** The address of the first page in another order; null: active jobs first. */
export function withSort(params: URLSearchParams, sort: string | null): URLSearchParams {
  return changed(params, { sort, cursor: null })
}

/** The address of another page of the same list; null is the first page. */
export function withCursor(params: URLSearchParams, cursor: string | null): URLSearchParams {
  return changed(params, { cursor })
}

function changed(params: URLSearchParams, change: Record<string, string | null>): URLSearchParams {
  const next = new URLSearchParams(params)
  for (const [name, value] of Object.entries(change)) {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  return next
}
