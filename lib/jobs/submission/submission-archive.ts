import { refuseCapacity } from '../../archives/workdir-capacity'
import type { JobConfig } from '../../contract/config/config'
import { GpuqError } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'

/**
 * The shipped directory that a config names, in the job's own project; null where it names none.
 * @throws 422 for one that is not there whole, and for one that the job's memory could not hold.
 */
export async function findArchive(
  tx: Transaction,
  projectId: string,
  config: Pick<JobConfig, 'archive' | 'project_id' | 'memory_gb'>,
): Promise<string | null> {
  const { archive, memory_gb } = config
  if (archive === undefined) return null
  // Kept from being swept until the job that names it is there.
  const { rows } = await tx.query<{ id: string; bytes: number; files: number }>({
    name: 'archive-of-submission',
    text: 'SELECT id, bytes, files FROM archives WHERE project_id = $1 AND hash = $2 FOR KEY SHARE',
    values: [projectId, Buffer.from(archive, 'hex')],
  })
  const [found] = rows
  if (!found) throw noArchive(config)
  const tooLarge = memory_gb === undefined ? null : refuseCapacity(found, Math.ceil(memory_gb * 1024))
  if (tooLarge !== null) throw refuse(tooLarge)
  return found.id
}

export function noArchive({ project_id }: Pick<JobConfig, 'project_id'>): GpuqError {
  return refuse(
    `the project "${project_id}" does not have this directory. It was never shipped there whole, or was deleted when no job needed it any more: ship it again`,
  )
}

function refuse(message: string): GpuqError {
  return new GpuqError('invalid_fields', `config_file: archive: ${message}`, {
    errors: [{ path: 'archive', message }],
  })
}
