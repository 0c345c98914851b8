import * as z from 'zod'
import { page, time } from '../contract/access/access'
import type { Project } from '../contract/access/projects'
import { maxEntries } from '../contract/archives/archive-manifest'
import { maxVersion, snapshotNameSchema } from '../contract/archives/snapshot-name'
import { sha256 } from '../contract/config/values'
import { idSchema } from '../contract/jobs'

/** A version of a snapshot. */
export const snapshotSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  version: z.int(),
  project_id: idSchema.describe('its project'),
  own: z.boolean().describe('false: it belongs to another project and is shared with everyone'),
  archive: z.string().describe('hash of its directory'),
  files: z.int().describe('files and links'),
  bytes: z.int(),
  created_by: z.string().nullable().describe('null: not known, or a user of another project'),
  created_by_name: z.string().nullable(),
  created_at: time,
  shared_at: time
    .nullable()
    .describe('when an admin shared it with everyone; null: only its project may use it'),
})

/** The newest version under a name. */
export const namedSnapshotSchema = snapshotSchema.extend({
  versions: z.int().describe('number of versions that the project may use'),
})

/** The response of `POST /api/projects/{id}/snapshots`. */
export const pushedSnapshotSchema = snapshotSchema.extend({
  created: z.boolean().describe('false: the newest version has the same content, so there is no new one'),
})

/** Query of `GET /api/projects/{id}/snapshots`. */
export const listSnapshotsSchema = z.object(page)

/** Query of `GET /api/projects/{id}/snapshots/versions`. */
export const listVersionsSchema = z.object({
  ...page,
  name: snapshotNameSchema,
  version: z.coerce.number().int().min(1).max(maxVersion).optional().describe('only this version'),
})

/** `POST /api/projects/{id}/snapshots`. */
export const createSnapshotSchema = z.strictObject({
  name: snapshotNameSchema.describe('such as code or data/cifar10'),
  archive: sha256.describe(
    'hash of a directory that you uploaded to the project, or of another snapshot of it',
  ),
})

/** Query of `DELETE /api/projects/{id}/snapshots`. */
export const deleteVersionsSchema = z.object({
  name: snapshotNameSchema.describe('the name whose versions are deleted'),
})

/** `PATCH /api/snapshots/{id}`. */
export const updateSnapshotSchema = z.strictObject({
  shared: z.boolean().describe('true: every project may use it'),
})

/** Query of `GET /api/snapshots/{id}/changes`. */
export const compareSnapshotsSchema = z.object({
  since: z.string().describe('id of the snapshot to compare with'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(2 * maxEntries)
    .default(1000)
    .describe('maximum number of files'),
})

export type Snapshot = z.infer<typeof snapshotSchema>
export type PushedSnapshot = z.infer<typeof pushedSnapshotSchema>
export type NamedSnapshot = z.infer<typeof namedSnapshotSchema>

/** Says who may push snapshots to a project, to somebody who may not. */
export function refusePush({
  owner,
  managers,
  project_id,
}: Pick<Project, 'owner' | 'managers' | 'project_id'>): string {
  const granting = [owner, ...managers.filter((handle) => handle !== owner)]
  const names = granting.map((handle) => `"${handle}"`).join(' or ')
  return (
    `Only the owner, managers, and members with the right to push may push and delete snapshots of this project. ` +
    `Ask ${names} for the right: it is given on the page of the project "${project_id}".`
  )
}
