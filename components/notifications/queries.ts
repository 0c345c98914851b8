import { queryOptions } from '@tanstack/react-query'
import type { UpdateTarget } from '@/lib/notifications/contract'
import { api, changing, keys, listQuery } from '../queries/queries'

const log = [...keys.notifications, 'log'] as const
const busyMs = 2000

/** Where the user is notified. */
export const notificationsQuery = () =>
  queryOptions({
    queryKey: [...keys.notifications, 'targets'],
    queryFn: ({ signal }) => api.notifications.get(signal),
  })

/** The delivery log. It is repeated while a message is being delivered. */
export const deliveriesQuery = () => ({
  ...listQuery(log, (cursor, signal) => api.notifications.deliveries({ cursor, limit: 10 }, signal)),
  refetchInterval: ({
    state: { data },
  }: {
    state: { data?: { pages: { items: { state: string }[] }[] } }
  }) => (data?.pages.some(({ items }) => items.some(({ state }) => state === 'waiting')) ? busyMs : false),
})

export const createTarget = changing(api.notifications.createTarget, keys.notifications)
export const updateTarget = changing(
  ({ id, ...body }: UpdateTarget & { id: string }) => api.notifications.updateTarget(id, body),
  keys.notifications,
)
export const removeTarget = changing((id: string) => api.notifications.removeTarget(id), keys.notifications)
export const sendTest = changing((id: string) => api.notifications.test(id), log)
export const redeliver = changing((id: string) => api.notifications.redeliver(id), log)
export const createWebhookSecret = changing<void, { secret: string }>(
  () => api.notifications.createSecret(),
  keys.notifications,
)

const newestIntervalMs = 10_000

/** The user's newest jobs, also while the tab is in the background. */
export const newestJobsQuery = () =>
  queryOptions({
    queryKey: [...keys.notifications, 'newest-jobs'],
    queryFn: async ({ signal }) => (await api.jobs.list({ limit: 100 }, signal)).items,
    refetchInterval: newestIntervalMs,
    refetchIntervalInBackground: true,
  })
