import { createHash } from 'node:crypto'
import type { Person } from '../../access/testing/people'
import { frameHeader } from '../../contract/archives/archive-frames'
import { database } from '../../database/client'
import { oneRow } from '../../database/transaction'
import { receiveBlobs } from '../receive'
import { registerArchive } from '../register'

interface UploadedFiles {
  id: string
  projectId: string
  hash: string
}

/** Uploads a directory with these contents by path, in the same steps as a client. */
export async function uploadFiles(
  { id, actor }: Person,
  project: string,
  files: Record<string, string>,
): Promise<UploadedFiles> {
  const contents = Object.entries(files).map(([path, text]) => {
    const content = Buffer.from(text)
    const sha256 = createHash('sha256').update(content).digest('hex')
    return { entry: { path, bytes: content.length, sha256 }, content }
  })
  const register = () =>
    registerArchive(
      actor,
      project,
      contents.map(({ entry }) => entry),
    )
  const { missing } = await register()
  const frames = contents.flatMap(({ entry, content }) =>
    missing.includes(entry.sha256) ? [frameHeader(entry.sha256, entry.bytes), content] : [],
  )
  const body = new Blob([new Uint8Array(Buffer.concat(frames))])
  if (missing.length > 0) await receiveBlobs(actor, project, body.stream())
  const { archive: hash } = await register()
  const row = await oneRow<{ id: string; projectId: string }>(
    database().pool,
    `SELECT a.id, p.id AS "projectId" FROM archives a JOIN projects p ON p.id = a.project_id
       JOIN archive_holders h ON h.archive_id = a.id
      WHERE h.user_id = $1 AND p.slug = $2 AND a.hash = decode($3, 'hex')`,
    [id, project, hash],
  )
  return { ...row, hash }
}
