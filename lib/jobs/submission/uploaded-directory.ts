import { createHash } from 'node:crypto'
import type { Actor } from '../../access/actor'
import type { DirectoryUpload } from '../../archives/unpack/directory-upload'
import { listEntries, storeUpload } from '../../archives/unpack/store-upload'
import { selectEntrypoint } from '../../contract/config/program/entrypoint'
import { invalidField } from '../../contract/errors'
import { database } from '../../database/client'
import type { Submission } from './insert-job'
import { requireCanStart } from './never-fits'

type Uploaded = DirectoryUpload | null | undefined

/** What the config names of an archive. Null: the archive comes with a program and stays as it is packed. */
const namedBy = ({ code, config }: Submission) => (code.length === 0 ? config : null)

/**
 * Stores the directory that came with a submission, unless the job can never start.
 * @returns the submission with its directory, and a sentence about what of it is not sent to the job.
 */
export async function storeDirectory(
  actor: Actor,
  submission: Submission,
  directory: Uploaded,
): Promise<{ submission: Submission; notSent?: string | undefined }> {
  const part = directory?.part ?? null
  if (!directory || part === null) return { submission }
  const { config, bodyHash } = submission
  await requireCanStart(database().pool, actor, config)
  const { archive, notSent } = await storeUpload(
    actor,
    config.project_id,
    directory,
    part,
    namedBy(submission),
  )
  // The same files in another archive are the same submission.
  const wholeHash = createHash('sha256').update(bodyHash).update(archive).digest()
  const stored = { ...submission, config: { ...config, archive }, bodyHash: wholeHash }
  return { submission: stored, notSent: notSent ?? undefined }
}

/** For a dry run: checks the directory and stores nothing. Without one, nothing is said about its files. */
export async function checkDirectory(submission: Submission, directory: Uploaded): Promise<Submission> {
  const { config } = submission
  if (config.archive !== undefined) return submission
  const requireFile = await readDirectory(submission, directory)
  requireFile(config)
  return { ...submission, config: { ...config, entrypoint: undefined } }
}

/** Reads the directory of a dry run. Returns a check that it has the file that a job runs, which throws a 422. */
export async function readDirectory(
  submission: Submission,
  directory: Uploaded,
): Promise<(job: Pick<Submission['config'], 'command' | 'entrypoint'>) => void> {
  const part = directory?.part ?? null
  if (!directory || part === null) return () => {}
  const named = namedBy(submission)
  const { files } = await listEntries(directory, part, named)
  const paths = Array.from(files.values(), ({ path }) => path)
  return ({ command, entrypoint }) => {
    const found = command === undefined && named !== null ? selectEntrypoint(entrypoint, paths) : null
    if (found && 'problem' in found) throw invalidField('entrypoint', found.problem)
  }
}
