import { answerProjectInvitation } from '@/lib/access/projects/project-invitations'
import { projectInvitationOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const POST = route(projectInvitationOperations.answer, async ({ actor, params, body }) =>
  answerProjectInvitation(actor, params.id, await body()),
)
