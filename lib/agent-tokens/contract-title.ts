import type { Approval } from './contract'

/** The name of what waits for an approval, or its kind and the end of its id. */
export function approvalTitle({ kind, name, id }: Pick<Approval, 'kind' | 'name' | 'id'>): string {
  return name ?? `${kind === 'group' ? 'Group' : 'Job'} ${id.slice(-8)}`
}
