import type { ConfigAs } from '../contract/config/config'
import type { groupConfigSchema } from './contract'

/** The config of a group, as it was accepted. */
export type GroupConfig = ConfigAs<typeof groupConfigSchema>

/** The config of a job of the group, before its parameters are in it. */
export function jobConfigOf(config: GroupConfig): Omit<GroupConfig, keyof GroupOnly> {
  const { matrix, array, search, samples, seed, repeat, parallel, objective, ...job } = config
  return job
}
type GroupOnly = Pick<
  GroupConfig,
  'matrix' | 'array' | 'search' | 'samples' | 'seed' | 'repeat' | 'parallel' | 'objective'
>
