import { deleteProject, getProject, updateProject } from '@/lib/access/projects/projects'
import { updateProjectSchema } from '@/lib/contract/access'
import { readJson, route } from '@/lib/http/route'

type Params = { id: string }

export const GET = route<Params>('read', async ({ actor, params }) =>
  Response.json(await getProject(actor, params.id)),
)

export const PATCH = route<Params>('submit', async ({ actor, request, params }) => {
  const changes = await readJson(request, updateProjectSchema)
  return Response.json(await updateProject(actor, params.id, changes))
})

export const DELETE = route<Params>('submit', async ({ actor, params }) => {
  await deleteProject(actor, params.id)
  return new Response(null, { status: 204 })
})
