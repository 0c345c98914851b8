import { refuseCapacity } from '../../archives/workdir-capacity'
import type { JobConfig } from '../../contract/config/config'
import { type GpuqError, invalidField } from '../../contract/errors'
import { findRow, type Transaction } from '../../database/transaction'

/**
 * Finds the uploaded directory of a config in the job's project; null if the config has none.
 * @throws 422 if the directory is not completely uploaded, or does not fit into the job's memory.
 */
export async function findArchive(
  tx: Transaction,
  projectId: string,
  config: Pick<JobConfig, 'archive' | 'project_id' | 'memory_gb'>,
): Promise<string | null> {
  const { archive, memory_gb } = config
  if (archive === undefined) return null
  // The lock prevents its deletion until the job exists.
  const found = await findRow<{ id: string; bytes: number; files: number }>(tx, {
    name: 'archive-of-submission',
    text: 'SELECT id, bytes, files FROM archives WHERE project_id = $1 AND hash = $2 FOR KEY SHARE',
    values: [projectId, Buffer.from(archive, 'hex')],
  })
  if (!found) throw noArchive(config)
  const tooLarge = memory_gb === undefined ? null : refuseCapacity(found, Math.ceil(memory_gb * 1024))
  if (tooLarge !== null) throw refuse(tooLarge)
  return found.id
}

export function noArchive({ project_id }: Pick<JobConfig, 'project_id'>): GpuqError {
  return refuse(
    `the project "${project_id}" does not have this directory. It was not uploaded completely, or was deleted because no job needed it: upload it again`,
  )
}

function refuse(message: string): GpuqError {
  return invalidField('archive', message, `config_file: archive: ${message}`)
}
