import type { ConfigAs } from '../contract/config/config'
import { type GroupKey, type groupConfigSchema, groupKeyNames } from './contract'

/** The config of a group, as it was accepted. */
export type GroupConfig = ConfigAs<typeof groupConfigSchema>

/** The config of a job of the group, before its parameters are in it. */
export function jobConfigOf(config: GroupConfig): Omit<GroupConfig, GroupKey> {
  const names: readonly string[] = groupKeyNames
  const keys = Object.entries(config).filter(([key]) => !names.includes(key))
  return Object.fromEntries(keys) as Omit<GroupConfig, GroupKey>
}
