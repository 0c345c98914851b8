import { idAsName } from '../received/path-below'

/** What is at a path of the working directory. */
export type LocalFile =
  | { kind: 'missing' }
  | { kind: 'file'; sha256: string }
  /** A link, a directory or a device, which no file replaces. */
  | { kind: 'other' }

export type Action = 'none' | 'write' | 'write_beside'

/**
 * Decides what happens with a file of a job. It replaces only a local file whose content was sent with the job or came from
 * it: every other local file was changed by somebody else.
 * @param known the content that the local file had when it was sent or brought back.
 */
export function chooseAction(local: LocalFile, known: string | undefined, incoming: string): Action {
  if (local.kind === 'missing') return 'write'
  if (local.kind === 'other') return 'write_beside'
  if (local.sha256 === incoming) return 'none'
  return local.sha256 === known ? 'write' : 'write_beside'
}

/** The name of the job's version beside a local file that was changed meanwhile. @throws FileProblem if the id is not a UUID. */
export function pathBeside(path: string, jobId: string): string {
  return `${path}.gpuq-${idAsName(jobId)}`
}

/**
 * Decides which path a file of a job on several nodes gets: each node has its own copy of the directory. The lowest rank
 * that writes a path owns it. The files of other ranks have the rank in their name.
 * @param owners the rank that owns each path so far; updated.
 */
export function pathOfRank(path: string, rank: number, owners: Map<string, number>): string {
  const owner = owners.get(path)
  if (owner !== undefined && owner < rank) return `${path}.rank-${rank}`
  owners.set(path, rank)
  return path
}
