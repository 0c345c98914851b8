import { defaultProject } from '@/lib/contract/access/project-kinds'
import { longestTimeS } from '@/lib/contract/config/durations'
import type { ConfigKey } from '@/lib/contract/config/schema'
import type { Client } from '@/lib/http/client/client'
import type { Context } from '../context'
import { uploadDirectory } from '../pack/upload-directory'
import { withOptionErrors } from './option-errors'
import { submitOnce } from './submit-once'
import { type ConfigOptions, toConfigText } from './upload-config'

/** Without an estimate, only the admin's limit stops the job, or that of the user. */
export const withTimeLimit = (options: ConfigOptions): ConfigOptions =>
  options.expected_time === undefined ? { ...options, max_time: options.max_time ?? longestTimeS } : options

interface SubmittedDirectory {
  client: Client
  jobId: string
  status: string
  /** The reference of the uploaded directory. */
  archive: string
  /** Address of the job's page. */
  page: string
}

interface SubmitDirectoryOptions {
  quiet: boolean
  deduplicate?: boolean | undefined
  /** The options that set keys of the config, if they differ from those of `gpuq run`. */
  flags?: Partial<Record<ConfigKey, string>>
}

/** Uploads a directory and queues a command that runs in a copy of it. What would be refused is refused before the upload. */
export async function submitDirectory(
  context: Context,
  directory: string,
  options: ConfigOptions,
  { quiet, deduplicate, flags }: SubmitDirectoryOptions,
): Promise<SubmittedDirectory> {
  const client = await context.connect()
  const keys = withTimeLimit(options)
  await withOptionErrors(() => client.jobs.check({ config: toConfigText(keys), deduplicate }), flags)
  const archive = await uploadDirectory(context, options.project_id ?? defaultProject, directory, quiet)
  const config = toConfigText({ ...keys, archive })
  const { job_id: jobId, status } = await withOptionErrors(
    () => submitOnce(context, { config, wait: false, deduplicate }, quiet),
    flags,
  )
  return { client, jobId, status, archive, page: client.transport.url(`/jobs/${jobId}`) }
}
