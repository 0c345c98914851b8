import type { Project } from './projects'

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
