import { route } from '../http/route'
import { approve, listApprovals, refuse } from './approvals'
import { approvalOperations, tokenStopOperations } from './operations'
import { stopToken } from './stop-token'

export const approvalRoutes = {
  list: route(approvalOperations.list, ({ actor, query }) => listApprovals(actor, query)),

  approve: route(approvalOperations.approve, ({ actor, params }) => approve(actor, params.id)),

  refuse: route(approvalOperations.refuse, ({ actor, params }) => refuse(actor, params.id)),
}

export const tokenStopRoutes = {
  stop: route(tokenStopOperations.stop, ({ actor, params }) => stopToken(actor, params.id)),
}
