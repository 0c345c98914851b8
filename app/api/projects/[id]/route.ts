import { deleteProject, getProject, updateProject } from '@/lib/access/projects/projects'
import { projectOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(projectOperations.get, ({ actor, params }) => getProject(actor, params.id))

export const PATCH = route(projectOperations.update, async ({ actor, params, body }) =>
  updateProject(actor, params.id, await body()),
)

export const DELETE = route(projectOperations.remove, ({ actor, params }) => deleteProject(actor, params.id))
