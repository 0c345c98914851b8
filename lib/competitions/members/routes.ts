import { route } from '../../http/route'
import { competitionOperations } from '../operations'
import { acceptInvitation, declineInvitation, listInvitations } from './invitations'
import { joinCompetition } from './join'
import { leaveCompetition } from './leave'
import { listMembers, removeMember, updateMember } from './members'
import { replaceRoster } from './roster'
import { getTeam, leaveTeam, updateTeam } from './teams'

export const peopleRoutes = {
  join: route(competitionOperations.join, ({ actor, params, body }) =>
    joinCompetition(actor, params.id, body),
  ),
  leave: route(competitionOperations.leave, ({ actor, params }) => leaveCompetition(actor, params.id)),
  members: route(competitionOperations.members, ({ actor, params, query }) =>
    listMembers(actor, params.id, query),
  ),
  updateMember: route(competitionOperations.updateMember, ({ actor, params, body }) =>
    updateMember(actor, params.id, params.user, body),
  ),
  removeMember: route(competitionOperations.removeMember, ({ actor, params }) =>
    removeMember(actor, params.id, params.user),
  ),
  roster: route(competitionOperations.roster, ({ actor, params, query, body }) =>
    replaceRoster(actor, params.id, body, query.dry_run),
  ),
  team: route(competitionOperations.team, ({ actor, params }) => getTeam(actor, params.id)),
  updateTeam: route(competitionOperations.updateTeam, ({ actor, params, body }) =>
    updateTeam(actor, params.id, body),
  ),
  leaveTeam: route(competitionOperations.leaveTeam, ({ actor, params }) => leaveTeam(actor, params.id)),
  invitations: route(competitionOperations.invitations, ({ actor, params }) =>
    listInvitations(actor, params.id),
  ),
  acceptInvitation: route(competitionOperations.acceptInvitation, ({ actor, params }) =>
    acceptInvitation(actor, params.id, params.invitation),
  ),
  declineInvitation: route(competitionOperations.declineInvitation, ({ actor, params }) =>
    declineInvitation(actor, params.id, params.invitation),
  ),
}
