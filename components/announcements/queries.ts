import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { api, changing } from '../queries/queries'

const resource = ['announcement'] as const
/** A tab that stays open shows a new announcement after this time. */
const repeatMs = 60_000

/** The announcement that every user sees. */
export const announcementQuery = () =>
  queryOptions({
    queryKey: resource,
    queryFn: ({ signal }) => api.announcements.get(signal),
    staleTime: repeatMs,
    refetchInterval: repeatMs,
  })

export const setAnnouncement = changing(api.announcements.set, resource)
export const removeAnnouncement = changing<void, void>(() => api.announcements.remove(), resource)
/** The page hides it at once. If the request fails, it is shown again. */
export const dismissAnnouncement = mutationOptions({
  mutationFn: (id: string) => api.announcements.dismiss({ id }),
  onMutate: (id, { client }) =>
    client.setQueryData(announcementQuery().queryKey, (known) =>
      known?.announcement?.id === id ? { ...known, dismissed: true } : known,
    ),
  onSettled: (_output, _error, _id, _result, { client }) => client.invalidateQueries({ queryKey: resource }),
})
