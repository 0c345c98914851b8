import { serverOperations } from '@/lib/contract/operations/server'
import { publicUrl } from '@/lib/env'
import { openapiDocument } from '@/lib/http/openapi'
import { route } from '@/lib/http/route'

export const GET = route(serverOperations.openapi, () => Response.json(openapiDocument(publicUrl())))
