import { useQuery } from '@tanstack/react-query'
import { usePathname, useSearchParams } from 'next/navigation'
import { viewsQuery } from '@/components/views/queries'
import { viewHref } from './view-address'

/** The saved views of the user as links. Views of all jobs are for admins. */
export function useSavedViews(admin: boolean) {
  const { data = [] } = useQuery(viewsQuery())
  const pathname = usePathname()
  const params = new URLSearchParams(useSearchParams())
  params.delete('cursor')
  const open = params.size > 0 ? `${pathname}?${params}` : pathname
  return data
    .filter(({ all }) => admin || !all)
    .map((view) => {
      const href = viewHref(view)
      return { id: view.view_id, href, label: view.name, active: href === open }
    })
}
