import { serverOperations } from '@/lib/contract/operations/server'
import { publicUrl } from '@/lib/env'
import { openapiDocument } from '@/lib/http/openapi'
import { route } from '@/lib/http/route'

/** The API's description, made from the operations that its routes are made from. */
export const GET = route(serverOperations.openapi, () => Response.json(openapiDocument(publicUrl())))
