import { createHash } from 'node:crypto'
import type { JobConfig } from '../../contract/config/config'

/** Two jobs are the same if they run the same program with the same input in the same environment. */
export interface JobContent
  extends Pick<
    JobConfig,
    | 'command'
    | 'args'
    | 'env'
    | 'archive'
    | 'entrypoint'
    | 'working_directory'
    | 'host_script'
    | 'conda_prefix'
  > {
  code: Buffer
  mounts: readonly { path: string; hash: string }[]
  /** The name of the environment, also if the config leaves it out. */
  environment: string
}

/** SHA-256 over a job's content. A length precedes each part, so that different contents never yield the same bytes. */
export function contentHash({
  code,
  command,
  args,
  env,
  environment,
  archive,
  entrypoint,
  working_directory,
  mounts,
  host_script,
  conda_prefix,
}: JobContent): Buffer {
  const hash = createHash('sha256')
  const add = (part: Buffer | string) => {
    const bytes = Buffer.from(part)
    hash.update(`${bytes.length}:`).update(bytes)
  }
  const addAll = (parts: readonly string[]) => {
    hash.update(`${parts.length};`)
    for (const part of parts) add(part)
  }
  hash.update(command === undefined ? 'code ' : 'command ')
  add(command ?? code)
  addAll(args)
  addAll(
    Object.entries(env)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flat(),
  )
  add(environment)
  addAll(archive === undefined ? [] : [archive])
  // Not if they are missing, so that the hashes of earlier jobs stay the same.
  if (entrypoint !== undefined) add(entrypoint)
  if (mounts.length > 0) {
    hash.update('mounts ')
    addAll(mounts.flatMap(({ path, hash: archiveHash }) => [path, archiveHash]))
  }
  if (working_directory !== undefined) addAll(['working directory', working_directory])
  if (host_script !== undefined) addAll(['host', host_script, conda_prefix ?? ''])
  return hash.digest()
}
