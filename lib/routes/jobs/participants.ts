import { participantOperations } from '../../contract/operations/participants'
import { route } from '../../http/route'
import { downloadParticipants } from '../../jobs/participants/download-participants'
import { readParticipants } from '../../jobs/participants/read-participants'

export const participantRoutes = {
  list: route(participantOperations.list, ({ actor, params, query }) =>
    readParticipants(actor, params.id, query),
  ),

  csv: route(participantOperations.csv, ({ actor, params, query }) =>
    downloadParticipants(actor, params.id, query),
  ),
}
