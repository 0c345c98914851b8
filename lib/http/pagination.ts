import type { Page } from '../database/pagination'
import { siteOrigin } from './origin'

/** The `Link` header (RFC 8288) that leads to the next page of the list at the request's address; null on the last. */
export function linkHeader(request: Request, nextCursor: string | null): string | null {
  if (nextCursor === null) return null
  const { pathname, search } = new URL(request.url)
  const next = new URL(pathname + search, siteOrigin(request))
  next.searchParams.set('cursor', nextCursor)
  return `<${next.href}>; rel="next"`
}

/** Answers with a page: a bare array, and the way on in the `Link` header. */
export function pageResponse<Item>(request: Request, page: Page<Item>): Response {
  const link = linkHeader(request, page.next)
  return Response.json(page.items, {
    headers: { 'cache-control': 'no-store', ...(link !== null && { link }) },
  })
}
