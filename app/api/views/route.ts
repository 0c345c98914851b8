import { viewOperations } from '@/lib/contract/operations/views'
import { route } from '@/lib/http/route'
import { createView, listViews } from '@/lib/jobs/views/saved-views'

export const GET = route(viewOperations.list, ({ actor }) => listViews(actor))

export const POST = route(viewOperations.create, async ({ actor, body }) => createView(actor, await body()))
