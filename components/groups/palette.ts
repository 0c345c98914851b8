import { queryOptions } from '@tanstack/react-query'
import { Layers } from 'lucide-react'
import type { Group } from '@/lib/groups/contract'
import { groupTitle, waitLabel } from '@/lib/groups/contract-title'
import { stateStyles } from '../jobs/job-status'
import { api } from '../queries/queries'
import type { FoundPage } from '../shell/palette/command'
import { resource } from './queries'

/** The most that the API returns at once. */
const newest = 100

/** What the command palette finds: the newest groups of the user, and the one with the id that the user typed. */
export const foundQuery = (id: string | null) =>
  queryOptions<FoundPage[]>({
    queryKey: [...resource, 'palette', id],
    queryFn: async ({ signal }) => {
      const { items } = await api.groups.list({ limit: newest }, signal)
      // It is usually the id of a job.
      const isUnknown = id !== null && !items.some(({ group_id }) => group_id === id)
      const other = isUnknown ? await api.groups.get(id, signal).catch(() => null) : null
      return [...(other === null ? [] : [other]), ...items].map(toPage)
    },
    staleTime: 10_000,
  })

function toPage(group: Group): FoundPage {
  const { group_id, status, competition_id, project_id } = group
  const state = waitLabel(group) ?? stateStyles[status].label
  return {
    id: group_id,
    path: `/groups/${group_id}`,
    label: groupTitle(group),
    hint: `${state} · ${competition_id} · ${project_id}`,
    words: group_id,
    icon: Layers,
  }
}
