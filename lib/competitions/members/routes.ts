import { unavailable } from '../../contract/errors'
import { route } from '../../http/route'
import { competitionOperations } from '../operations'

const notYet = () => {
  throw unavailable('This does not exist yet.', 60)
}

export const peopleRoutes = {
  join: route(competitionOperations.join, notYet),
  leave: route(competitionOperations.leave, notYet),
  members: route(competitionOperations.members, notYet),
  updateMember: route(competitionOperations.updateMember, notYet),
  removeMember: route(competitionOperations.removeMember, notYet),
  roster: route(competitionOperations.roster, notYet),
  team: route(competitionOperations.team, notYet),
  updateTeam: route(competitionOperations.updateTeam, notYet),
  leaveTeam: route(competitionOperations.leaveTeam, notYet),
  invitations: route(competitionOperations.invitations, notYet),
  acceptInvitation: route(competitionOperations.acceptInvitation, notYet),
  declineInvitation: route(competitionOperations.declineInvitation, notYet),
}
