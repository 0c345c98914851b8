import type { Group, GroupMember } from '@/lib/groups/contract'

const kinds = { sweep: 'Sweep', array: 'Array', wave: 'Wave' } as const

/** The name of a group, or its kind and the end of its id. */
export function groupTitle({ name, kind, group_id }: Pick<Group, 'name' | 'kind' | 'group_id'>): string {
  return name ?? `${kinds[kind]} ${group_id.slice(-8)}`
}

/** A whole command would hide the other parameters. */
const maxCharacters = 80

/** The parameters of a member: "lr 0.1, seed 3". */
export function describeParameters({
  parameters,
  repeat,
}: Pick<GroupMember, 'parameters' | 'repeat'>): string {
  const values = Object.entries(parameters).map(([name, value]) => `${name} ${shortened(String(value))}`)
  if (repeat > 0) values.push(`repeat ${repeat}`)
  return values.join(', ')
}

const shortened = (text: string) =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text
