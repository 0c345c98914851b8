import { updateMembership } from '../../access/projects/membership'
import { answerProjectInvitation, listProjectInvitations } from '../../access/projects/project-invitations'
import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  updateProject,
} from '../../access/projects/projects'
import { projectInvitationOperations, projectOperations } from '../../contract/operations/access'
import { route } from '../../http/route'

export const projectInvitationRoutes = {
  list: route(projectInvitationOperations.list, ({ actor }) => listProjectInvitations(actor)),

  answer: route(projectInvitationOperations.answer, async ({ actor, params, body }) =>
    answerProjectInvitation(actor, params.id, await body()),
  ),
}

export const projectRoutes = {
  list: route(projectOperations.list, ({ actor, query }) => listProjects(actor, query)),

  create: route(projectOperations.create, async ({ actor, body, answer }) => {
    const project = await createProject(actor, await body())
    return answer(project, { headers: { location: `/api/projects/${project.id}` } })
  }),

  get: route(projectOperations.get, ({ actor, params }) => getProject(actor, params.id)),

  update: route(projectOperations.update, async ({ actor, params, body }) =>
    updateProject(actor, params.id, await body()),
  ),

  updateMembership: route(projectOperations.updateMembership, async ({ actor, params, body }) =>
    updateMembership(actor, params.id, await body()),
  ),

  remove: route(projectOperations.remove, ({ actor, params }) => deleteProject(actor, params.id)),
}
