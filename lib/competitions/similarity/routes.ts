import { route } from '../../http/route'
import { competitionOperations } from '../operations'
import { findSimilar } from './find-similar'

export const similarityRoutes = {
  similar: route(competitionOperations.similar, ({ actor, params, query }) =>
    findSimilar(actor, params.id, params.phase, query),
  ),
}
