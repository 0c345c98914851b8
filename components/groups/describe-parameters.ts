import type { GroupMember } from '@/lib/groups/contract'

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
