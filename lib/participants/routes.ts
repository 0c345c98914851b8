import { route } from '../http/route'
import { downloadParticipants } from './download-participants'
import { participantOperations } from './operations'
import { readParticipants } from './read-participants'

export const participantRoutes = {
  list: route(participantOperations.list, ({ actor, params, query }) =>
    readParticipants(actor, params.id, query),
  ),

  csv: route(participantOperations.csv, ({ actor, params, query }) =>
    downloadParticipants(actor, params.id, query),
  ),
}
