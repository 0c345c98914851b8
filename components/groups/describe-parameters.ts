import type { Group, GroupMember } from '@/lib/groups/contract'

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

/** The same without what the page of the job of a wave's member shows: its name, hypothesis and note. */
export function describeMember(
  kind: Group['kind'],
  { parameters, repeat }: Pick<GroupMember, 'parameters' | 'repeat'>,
): string {
  if (kind !== 'wave') return describeParameters({ parameters, repeat })
  const { name: _name, hypothesis: _hypothesis, note: _note, ...others } = parameters
  return describeParameters({ parameters: others, repeat })
}
