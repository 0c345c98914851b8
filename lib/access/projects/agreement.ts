import { type AgreedKind, describeAgreement, type ProjectKind } from '../../contract/access/project-kinds'
import { conflict, invalidField } from '../../contract/errors'
import { findRow, type Transaction } from '../../database/transaction'

/**
 * Locks the kind of a project until the transaction ends, and checks that whoever joins agrees to it. Nobody agrees to a private
 * project.
 * @returns the kind to record; null for a private project
 * @throws 422 if the request does not agree, 409 if it agrees to another kind.
 */
export async function requireAgreement(
  tx: Transaction,
  projectId: string,
  agreeTo: AgreedKind | undefined,
): Promise<AgreedKind | null> {
  const project = await findRow<{ kind: ProjectKind }>(
    tx,
    'SELECT kind FROM projects WHERE id = $1 FOR SHARE',
    [projectId],
  )
  const kind = project?.kind ?? 'private'
  if (kind === 'private' && agreeTo === undefined) return null
  if (kind === 'private')
    throw conflict(`This project is no ${agreeTo}, so it shows nobody your jobs. Join it without agree_to.`)
  if (agreeTo === kind) return kind
  const message = `${describeAgreement(kind)} Send agree_to: "${kind}" if you agree`
  if (agreeTo === undefined) throw invalidField('agree_to', message)
  throw conflict(`The project has become a ${kind} meanwhile. ${message}.`)
}

interface NewMember {
  projectId: string
  userId: string
  mayPush: boolean
  /** Null: the project is private. */
  agreed: AgreedKind | null
}

/** Adds a member with what they agreed to, and when. Whoever is a member already, such as by an import, agrees now if they had not. */
export function insertMember(
  tx: Transaction,
  { projectId, userId, mayPush, agreed }: NewMember,
): Promise<{ rowCount: number | null }> {
  return tx.query(
    `INSERT INTO memberships (project_id, user_id, may_push, agreed_kind, agreed_at)
     VALUES ($1, $2, $3, $4::"ProjectKind", CASE WHEN $4::"ProjectKind" IS NOT NULL THEN now() END)
     ON CONFLICT (project_id, user_id) DO UPDATE SET agreed_kind = excluded.agreed_kind, agreed_at = excluded.agreed_at
      WHERE memberships.agreed_at IS NULL AND excluded.agreed_at IS NOT NULL`,
    [projectId, userId, mayPush, agreed],
  )
}
