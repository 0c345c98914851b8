import { route } from '../../http/route'
import { rescoreOperations } from '../operations'
import { createRescore } from './create-rescore'
import { applyRescore, discardRescore } from './end-rescore'
import { listRescores, readRescore } from './read-rescore'

export const rescoreRoutes = {
  create: route(rescoreOperations.create, ({ actor, params }) =>
    createRescore(actor, params.id, params.phase),
  ),

  list: route(rescoreOperations.list, ({ actor, params }) => listRescores(actor, params.id, params.phase)),

  get: route(rescoreOperations.get, ({ actor, params, query }) => readRescore(actor, params.id, query)),

  apply: route(rescoreOperations.apply, ({ actor, params }) => applyRescore(actor, params.id)),

  discard: route(rescoreOperations.discard, ({ actor, params }) => discardRescore(actor, params.id)),
}
