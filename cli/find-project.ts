import type { Project } from '@/lib/contract/access/projects'
import { notFound } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import type { Context } from './context'
import { readPages } from './job/read-pages'

/** Connects to the server, and finds a project there. @throws as {@link findProject}. */
export async function connectToProject(
  context: Context,
  project: string,
): Promise<{ client: Client; projectId: string }> {
  const client = await context.connect()
  return { client, projectId: (await findProject(client, project)).id }
}

/** More projects than users who share one with the same project_id with the caller. */
const maxProjects = 1000

/**
 * Finds the project that its project_id means in the caller's configs. `OWNER/ID` is the project of that owner; admins find all.
 * @throws GpuqError if there is none.
 */
export async function findProject(client: Client, given: string): Promise<Project> {
  const [slug = '', owner] = given.split('/').toReversed()
  const list = (all: boolean) =>
    readPages(maxProjects, (page) => client.projects.list({ ...page, project_id: slug, all: all || null }))
  const found = await list(false)
  if (owner === undefined) {
    const project = found.find(({ means }) => means)
    if (project) return project
    throw notFound(`You have no project "${slug}". See the page Projects, or give --project.`)
  }
  const ofOwner = (one: Project) => one.owner.toLowerCase() === owner.toLowerCase()
  const project = found.find(ofOwner) ?? (await list(true).catch(noneIfForbidden)).find(ofOwner)
  if (project) return project
  throw notFound(`There is no project "${given}", or its owner has not shared it with you.`)
}

function noneIfForbidden(error: unknown): Project[] {
  if (error instanceof ProblemError && error.status === 403) return []
  throw error
}
