import { type Answer, call } from '../../../access/testing/call'
import type { Person } from '../../../access/testing/people'
import type { ApiRoute } from '../../../http/route'
import { peopleRoutes } from '../routes'

export type PeopleRoute = keyof typeof peopleRoutes

interface Given {
  body?: unknown
  query?: string
  user?: string
  invitation?: string
}

/** Calls an operation on the members of a competition. */
export function callMembers(
  name: PeopleRoute,
  { cookie }: Pick<Person, 'cookie'>,
  slug: string,
  { body, query = '', user = '', invitation = '' }: Given = {},
): Promise<Answer> {
  const handler: ApiRoute = peopleRoutes[name]
  return call(handler, `/api/competitions/${slug}/${name}${query}`, {
    method: handler.operation.method.toUpperCase(),
    cookie,
    params: { id: slug, user, invitation },
    ...(body !== undefined && { body }),
  })
}
