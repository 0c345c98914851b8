import { participantOperations } from '@/lib/contract/operations/participants'
import { route } from '@/lib/http/route'
import { downloadParticipants } from '@/lib/jobs/participants/download-participants'

export const GET = route(participantOperations.csv, ({ actor, params, query }) =>
  downloadParticipants(actor, params.id, query),
)
