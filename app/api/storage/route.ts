import { readStorage } from '@/lib/access/storage/stored-items'
import { storageOperations } from '@/lib/contract/operations/storage'
import { route } from '@/lib/http/route'

export const GET = route(storageOperations.get, ({ actor, query }) => readStorage(actor, query))
