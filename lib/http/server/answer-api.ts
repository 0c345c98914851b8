import { notFound } from '../../contract/errors'
import { problemResponse } from '../problem'
import type { ApiHandler, ApiRoute } from '../route'
import { apiPathOf, methodNotAllowed, methodsOf } from './admit-request'
import { findOperationPath } from './operation-paths'

/** The handlers by path template, then by method. */
export type ApiRoutes = ReadonlyMap<string, Partial<Record<string, ApiHandler>>>

/** The table of routes. */
export function toApiRoutes(routes: readonly ApiRoute[]): ApiRoutes {
  const table = new Map<string, Record<string, ApiHandler>>()
  for (const route of routes) {
    const { method, path } = route.operation
    table.set(path, { ...table.get(path), [method.toUpperCase()]: route })
  }
  return table
}

/**
 * Answers a request to the API: an unknown path answers with a problem, never with a page.
 * @param pathname as the client sent it. A URL cuts it at "#", and reads a backslash as "/": that names another object.
 */
export async function answerApi(
  routes: ApiRoutes,
  request: Request,
  pathname = new URL(request.url).pathname,
): Promise<Response> {
  const { method } = request
  if (method === 'OPTIONS')
    return new Response(null, { status: 204, headers: { allow: methodsOf(pathname).join(', ') } })
  const found = findOperationPath(apiPathOf(pathname))
  const handlers = found && routes.get(found.template)
  if (!found || !handlers)
    return problemResponse(
      notFound(`No operation has the path ${pathname}. /api/openapi.json lists all operations.`),
    )
  const handle = handlers[method === 'HEAD' ? 'GET' : method]
  if (!handle) return problemResponse(methodNotAllowed(method, pathname))
  const params = Object.entries(found.params).map(([name, value]) => [name, decodeURIComponent(value)])
  return handle(request, { params: Promise.resolve(Object.fromEntries(params)) })
}
