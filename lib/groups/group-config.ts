import { createHash } from 'node:crypto'
import type { ConfigAs } from '../contract/config/config'
import { describeIssue } from '../contract/config/issues'
import { formatPath } from '../contract/config/plain'
import { GpuqError, invalidField } from '../contract/errors'
import type { JobRequest } from '../jobs/submission/check-request'
import { type GroupKey, groupConfigSchema, groupKeyNames } from './contract'

/** The config of a group, as it was accepted. */
export type GroupConfig = ConfigAs<typeof groupConfigSchema>

export type GroupRequest = Omit<JobRequest, 'config' | 'user'> & { config: GroupConfig }

/** Keys of a job that say something about the group as a whole, and nothing about its members. */
const keysOfWhole = ['parent', 'hypothesis', 'note'] as const

/** The config of a job of the group, before its parameters are in it. */
export function jobConfigOf(config: GroupConfig): Omit<GroupConfig, GroupKey> {
  const names: readonly string[] = [...groupKeyNames, ...keysOfWhole]
  const keys = Object.entries(config).filter(([key]) => !names.includes(key))
  return Object.fromEntries(keys) as Omit<GroupConfig, GroupKey>
}

/**
 * A group without files: its members run a command, or a directory that the server has.
 * @param at where the request has the config
 * @throws 422 that names the keys
 */
export function toGroupRequest(
  { config: given }: { config: Record<string, unknown> },
  idempotencyKey: string | null,
  at: readonly string[] = ['config'],
): GroupRequest {
  const parsed = groupConfigSchema.safeParse(given, { error: describeIssue })
  if (!parsed.success) {
    const errors = parsed.error.issues.map(({ path, message }) => ({
      path: formatPath([...at, ...path].join('.')),
      message,
    }))
    throw new GpuqError('invalid_fields', `${errors[0]?.path}: ${errors[0]?.message}`, { errors })
  }
  const { token: _, ...config } = parsed.data
  const jobs = config.members ?? [{}]
  if (
    config.command === undefined &&
    config.archive === undefined &&
    jobs.some(({ command }) => command === undefined)
  )
    throw invalidField([...at, 'command'].join('.'), 'is missing: write what each member runs')
  const gpusChosen = ['gpu_count', 'gpu_fraction'].some((key) => Object.hasOwn(given, key))
  const bodyHash = createHash('sha256')
    .update(JSON.stringify({ config: given }))
    .digest()
  return { code: Buffer.alloc(0), runId: null, config: { ...config, gpusChosen }, bodyHash, idempotencyKey }
}
