import { conflict, forbidden } from '../../contract/errors'
import type { Transaction } from '../../database/transaction'
import type { Actor } from '../actor'
import { managesMembers, type ProjectRow } from './project-rows'
import { findVisible } from './projects'

/**
 * Finds a class that the actor manages: its owner, its managers and admins.
 * @throws 404 for strangers, 403 for other members, 409 for a project that is no class.
 */
export async function findManagedClass(executor: Transaction, actor: Actor, id: string): Promise<ProjectRow> {
  const project = await findVisible(executor, actor, id)
  if (!managesMembers(actor, project))
    throw forbidden(`Only the owner, "${project.owner}", managers of the class and admins may do this.`)
  if (project.kind !== 'class')
    throw conflict(`"${project.slug}" is no class. This is only for projects of the kind class.`)
  return project
}
