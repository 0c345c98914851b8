import { endSession } from '@/lib/access/sessions/sessions'
import { sessionOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const DELETE = route(sessionOperations.end, ({ actor, params }) => endSession(actor, params.id))
