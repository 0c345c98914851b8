import { route } from '../http/route'
import { nodeCheckOperations } from './operations'
import { readNodeReports, requestCheck } from './read-reports'

export const nodeCheckRoutes = {
  nodeReports: route(nodeCheckOperations.nodeReports, ({ actor }) => readNodeReports(actor)),

  checkNode: route(nodeCheckOperations.checkNode, ({ actor, params }) => requestCheck(actor, params.id)),
}
