import { createProject, listProjects } from '@/lib/access/projects/projects'
import { projectOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(projectOperations.list, ({ actor, query }) => listProjects(actor, query))

export const POST = route(projectOperations.create, async ({ actor, body, answer }) => {
  const project = await createProject(actor, await body())
  return answer(project, { headers: { location: `/api/projects/${project.id}` } })
})
