import { participantOperations } from '@/lib/contract/operations/participants'
import { route } from '@/lib/http/route'
import { readParticipants } from '@/lib/jobs/participants/read-participants'

export const GET = route(participantOperations.list, ({ actor, params, query }) =>
  readParticipants(actor, params.id, query),
)
