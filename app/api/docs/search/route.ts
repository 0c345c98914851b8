import { serverOperations } from '@/lib/contract/operations/server'
import { searchDocumentation } from '@/lib/http/reference/search-documentation'
import { route } from '@/lib/http/route'

/** Public, like the documentation. */
export const GET = route(serverOperations.searchDocumentation, async ({ query }) =>
  (await searchDocumentation(query.q)).slice(0, query.limit).map((hit) => ({ ...hit, path: [...hit.path] })),
)
