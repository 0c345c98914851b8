import { listProjectInvitations } from '@/lib/access/projects/project-invitations'
import { projectInvitationOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(projectInvitationOperations.list, ({ actor }) => listProjectInvitations(actor))
