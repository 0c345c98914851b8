import { operationPaths } from '@/lib/http/server/operation-paths'
import type { ApiHandler, ApiRoutes } from '@/lib/http/server/serve-api'

/** Loads the route files of all operations of the API. */
export async function loadApiRoutes(): Promise<ApiRoutes> {
  const routes = operationPaths.map(async (template) => {
    const folder = template.slice(1).replaceAll(/\{(\w+)\}/g, '[$1]')
    // The bundler includes all files that match.
    const handlers: Record<string, ApiHandler> = await import(`../../app/${folder}/route.ts`)
    return [template, handlers] as const
  })
  return new Map(await Promise.all(routes))
}
