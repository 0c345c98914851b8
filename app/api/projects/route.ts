import { createProject, listProjects } from '@/lib/access/projects/projects'
import { createProjectSchema, listProjectsSchema } from '@/lib/contract/access'
import { pageResponse } from '@/lib/http/pagination'
import { readJson, readQuery, route } from '@/lib/http/route'

export const GET = route('read', async ({ actor, request, url }) =>
  pageResponse(request, await listProjects(actor, readQuery(url, listProjectsSchema))),
)

export const POST = route('submit', async ({ actor, request }) => {
  const project = await createProject(actor, await readJson(request, createProjectSchema))
  return Response.json(project, { status: 201, headers: { location: `/api/projects/${project.id}` } })
})
