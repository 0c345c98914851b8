import { blobKey } from '../../archives/blob-key'
import { readArchive } from '../../archives/read-archive'
import { isLink } from '../../contract/archives/archive-manifest'
import { findSourceFile } from '../../contract/diagnosis/source-file'
import { database } from '../../database/client'
import { storage } from '../../storage/storage'
import { readSourceForOthers } from './read'

/** Programs are shorter. A longer file is not read for a few lines. */
const longestSource = 1024 * 1024

/** The text of a file of a job: solution.py, or a file of its directory; null: gpuq does not have it, or it is long. */
export async function readSourceText(jobId: string, file: string): Promise<string | null> {
  const { archiveId } = await database().prisma.job.findUniqueOrThrow({
    where: { id: jobId },
    select: { archiveId: true },
  })
  const archive = archiveId === null ? null : await readArchive(archiveId)
  const entries = (archive?.manifest.entries ?? []).filter((entry) => !isLink(entry))
  const path = findSourceFile(
    { file },
    entries.map((entry) => ({ path: entry.path, bytes: 0, target: null })),
  )
  const entry = entries.find((one) => one.path === path)
  if (!archive || !entry || isLink(entry)) {
    const { code } = path === 'solution.py' ? await readSourceForOthers(jobId) : { code: '' }
    return code === '' ? null : code
  }
  if (entry.bytes > longestSource) return null
  const { stream } = await storage().open(blobKey(archive.projectId, entry.sha256))
  const parts: Buffer[] = []
  for await (const part of stream as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}
