import type { SavedView } from '@/lib/views/contract'

type Shown = Pick<SavedView, 'all' | 'q' | 'sort' | 'columns'>

/** The query of a saved view's address. */
export function viewParams({ q, sort, columns }: Omit<Shown, 'all'>): URLSearchParams {
  const params = new URLSearchParams()
  if (q) params.set('q', q)
  if (sort) params.set('sort', sort)
  if (columns) params.set('columns', columns)
  return params
}

/** The address of a saved view. */
export function viewHref({ all, ...shown }: Shown): string {
  const params = viewParams(shown)
  return `${all ? '/admin/jobs' : '/jobs'}${params.size > 0 ? `?${params}` : ''}`
}

/** Whether a list shows exactly a view, at any page. */
export function isShown(view: Shown, list: Shown): boolean {
  return viewHref(view) === viewHref(list)
}
