import { queueOperations } from '@/lib/contract/operations/queue'
import { route } from '@/lib/http/route'
import { readQueue } from '@/lib/queue/list'

export const GET = route(queueOperations.list, ({ actor, query }) => readQueue(actor, query))
