import { queryOptions } from '@tanstack/react-query'
import { api, changing, keys } from '../queries/queries'

const resource = ['approvals'] as const

/** What waits until the user approves it. With `all`: of every user, for admins. */
export const approvalsQuery = (all: boolean) =>
  queryOptions({
    queryKey: [...resource, { all }],
    queryFn: ({ signal }) => api.approvals.list({ all: all || null }, signal),
    refetchInterval: 10_000,
  })

export const approve = changing((id: string) => api.approvals.approve(id), resource, keys.jobs, ['groups'])
export const refuse = changing((id: string) => api.approvals.refuse(id), resource, keys.jobs, ['groups'])
export const stopToken = changing((id: string) => api.tokens.stop(id), keys.tokens, resource, keys.jobs, [
  'groups',
])
