import { type JobFilters, jobFiltersSchema } from '@/lib/contract/job-queries'

/** The filters in the address of a job list. */
export const filterNames = ['status', 'competition_id', 'project_id', 'user_id', 'tag', 'starred'] as const
export type FilterName = (typeof filterNames)[number]

const shape = jobFiltersSchema.shape
const pageSize = 50

type Params = Pick<URLSearchParams, 'get'>

/** The API query of an address, without values that the API would reject. */
export function toJobQuery(params: Params, { everyone }: { everyone: boolean }): JobFilters {
  const query: JobFilters = { limit: pageSize }
  const status = shape.status.safeParse(params.get('status') ?? undefined).data
  if (status) query.status = status
  for (const name of ['competition_id', 'project_id', ...(everyone ? (['user_id'] as const) : [])] as const) {
    const id = shape[name].safeParse(params.get(name) ?? undefined).data
    if (id) query[name] = id
  }
  const tag = shape.tag.safeParse(params.get('tag') ?? undefined).data
  if (tag) query.tag = tag
  if (params.get('starred') === 'true') query.starred = true
  if (everyone && !query.user_id) query.all = true
  const cursor = params.get('cursor')
  if (cursor) query.cursor = cursor
  return query
}

/** Whether the address has filters. */
export function hasFilters(query: JobFilters): boolean {
  return filterNames.some((name) => query[name] !== undefined)
}

/** The query with one filter changed, at the first page. */
export function withFilter(params: URLSearchParams, name: FilterName, value: string | null): URLSearchParams {
  return changed(params, { cursor: null, [name]: value || null })
}

/** The query of another page of the same list; null is the first page. */
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
