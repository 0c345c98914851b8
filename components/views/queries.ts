import { queryOptions } from '@tanstack/react-query'
import type { CreateView } from '@/lib/views/contract'
import { api, changing } from '../queries/queries'

const viewsKey = ['views'] as const

/** The saved searches of the user. */
export const viewsQuery = () =>
  queryOptions({
    queryKey: viewsKey,
    queryFn: ({ signal }) => api.views.list(signal),
    staleTime: 60_000,
    retry: false,
  })

export const createView = changing((view: CreateView) => api.views.create(view), viewsKey)
export const renameView = changing(
  ({ id, name }: { id: string; name: string }) => api.views.update(id, { name }),
  viewsKey,
)
export const deleteView = changing((id: string) => api.views.remove(id), viewsKey)
