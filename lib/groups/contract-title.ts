import type { Group } from './contract'

/** How pages and the command line name a group and where it is. */

const kinds = { sweep: 'Sweep', array: 'Array', wave: 'Wave' } as const

/** The name of a group, or its kind and the end of its id. */
export function groupTitle({ name, kind, group_id }: Pick<Group, 'name' | 'kind' | 'group_id'>): string {
  return name ?? `${kinds[kind]} ${group_id.slice(-8)}`
}

/** Whether no member may start before a person approves the group. Its status is `running` then, as while a member is held otherwise. */
export const waitsForApproval = ({ status, awaits_approval }: Pick<Group, 'status' | 'awaits_approval'>) =>
  status === 'running' && awaits_approval

/** Whether no member may start before other jobs or groups have ended. Its status is `running` then too. */
export const waitsForOthers = ({ status, waits_for_others }: Pick<Group, 'status' | 'waits_for_others'>) =>
  status === 'running' && waits_for_others

/** What the status of a group does not say: why none of its members may start. Null: its status says where it is. */
export function waitLabel(
  group: Pick<Group, 'status' | 'awaits_approval' | 'waits_for_others'>,
): 'Waits for approval' | 'Waits for others' | null {
  if (waitsForApproval(group)) return 'Waits for approval'
  return waitsForOthers(group) ? 'Waits for others' : null
}
