import type { Entry } from '@/lib/competitions/contract-entries'

/** The name of an entry, or the end of its id. */
export const entryTitle = ({ id, name }: Pick<Entry, 'id' | 'name'>) => name ?? `…${id.slice(-8)}`
