import type { Group, GroupMember } from '@/lib/groups/contract'

/** The name of a group, or its kind and the end of its id. */
export function groupTitle({ name, kind, group_id }: Pick<Group, 'name' | 'kind' | 'group_id'>): string {
  return name ?? `${kind === 'array' ? 'Array' : 'Sweep'} ${group_id.slice(-8)}`
}

/** The parameters of a member: "lr 0.1, seed 3". */
export function describeParameters({
  parameters,
  repeat,
}: Pick<GroupMember, 'parameters' | 'repeat'>): string {
  const values = Object.entries(parameters).map(([name, value]) => `${name} ${value}`)
  if (repeat > 0) values.push(`repeat ${repeat}`)
  return values.join(', ')
}
