import { queryOptions } from '@tanstack/react-query'
import type { Group, GroupDetail } from '@/lib/groups/contract'
import { dryRunOf } from '../queries/dry-run'
import { api, changing, keys, listQuery } from '../queries/queries'

/** Every key starts with it. */
export const resource = ['groups'] as const

const busyMs = 2000
const quietMs = 10_000
/** The most that the API returns at once. */
const pageSize = 1_000

const isLive = ({ status }: Pick<Group, 'status'>) => status === 'running'

/** The own groups, newest first. With `all`: every user's, for admins. */
export const groupsQuery = (all: boolean) =>
  listQuery([...resource, 'list', { all }], (cursor, signal) =>
    api.groups.list({ cursor, all: all || null }, signal),
  )

/** How often a list of groups is read again. */
export const listInterval = (groups: readonly Group[]) => (groups.some(isLive) ? busyMs : quietMs)

/** The groups that have not ended. */
export const activeGroupsQuery = (all: boolean) =>
  queryOptions({
    queryKey: [...resource, 'active', { all }],
    queryFn: ({ signal }) => api.groups.list({ active: true, all: all || null, limit: 20 }, signal),
    refetchInterval: ({ state: { data } }) => listInterval(data?.items ?? []),
  })

export const groupQuery = (id: string) =>
  queryOptions({
    queryKey: [...resource, 'detail', id],
    queryFn: ({ signal }) => api.groups.get(id, signal),
    refetchInterval: ({ state: { data } }) => (data && !isLive(data) ? false : busyMs),
  })

/** A page of members. It is read again only while its members can change. */
export const memberPageQuery = (group: GroupDetail, cursor: string | null) =>
  queryOptions({
    // A group that is extended has more of them.
    queryKey: [...resource, 'members', group.group_id, group.members, cursor],
    queryFn: ({ signal }) => api.groups.members(group.group_id, { limit: pageSize, cursor }, signal),
    refetchInterval: ({ state: { data } }) => {
      const [first] = data?.items ?? []
      if (!data || !first) return false
      if (data.items.some(({ status }) => status === 'pending' || status === 'running')) return busyMs
      if (data.items.some(({ status }) => status === 'paused')) return quietMs
      // Members enter the queue in their order, so most pages of a long group wait without a change.
      const { held } = group.counts
      const isNext = held === 0 || first.index <= group.members - held
      return isNext && data.items.some(({ status }) => status === 'held') ? busyMs : false
    },
  })

/** The group of a job, and its place in it. */
export const groupOfJobQuery = (jobId: string) =>
  queryOptions({
    queryKey: [...resource, 'of-job', jobId],
    queryFn: ({ signal }) => api.groups.ofJob(jobId, signal),
    // The next member gets a job later.
    refetchInterval: ({ state: { data } }) =>
      data && data.next === null && data.member.index < data.members - 1 ? quietMs : false,
  })

export const dryRunQuery = dryRunOf(resource, (config, signal) => api.groups.dryRun({ config }, signal))

export const updateGroup = changing(
  ({ id, note }: { id: string; note: string | null }) => api.groups.update(id, { note }),
  resource,
  ['experiments'],
)

export const cancelGroup = changing((id: string) => api.groups.cancel(id), resource, keys.jobs)

export const rerunFailed = changing((id: string) => api.groups.rerunFailed(id), resource, keys.jobs)

export const extendGroup = changing(
  ({ id, ...body }: { id: string; samples?: number; repeat?: number }) => api.groups.extend(id, body),
  resource,
  keys.jobs,
)
