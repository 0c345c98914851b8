import { publicUrl } from '@/lib/env'
import { openapiDocument } from '@/lib/http/openapi/openapi'
import { route } from '@/lib/http/route'

/** The API's description, made from the schemas that check its requests and shape its answers. */
export const GET = route('public', async () => Response.json(openapiDocument(publicUrl())))
