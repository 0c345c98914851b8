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
  const project = found.find(ofOwner) ?? (await list(true).catch(ifForbidden<Project[]>([]))).find(ofOwner)
  if (project) return project
  throw notFound(`There is no project "${given}", or its owner has not shared it with you.`)
}

/** @throws GpuqError if there is no project of this id that the caller may see. A token that may not list projects is not asked. */
export async function requireProject(client: Client, projectId: string): Promise<void> {
  const isListed = async (all: boolean) => {
    const { items } = await client.projects.list({ project_id: projectId, all: all || null, limit: 1 })
    return items.length > 0
  }
  if (await isListed(false).catch(ifForbidden(true))) return
  if (await isListed(true).catch(ifForbidden(false))) return
  throw notFound(
    `There is no project "${projectId}", or its owner has not shared it with you. The page Projects lists yours.`,
  )
}

/** The answer in the place of a refusal. */
function ifForbidden<Answer>(answer: Answer) {
  return (error: unknown): Answer => {
    if (error instanceof ProblemError && error.status === 403) return answer
    throw error
  }
}
