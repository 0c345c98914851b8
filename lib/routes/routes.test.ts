import { expect, it } from 'vitest'
import { operations } from '../contract/operations/operations'
import type { ApiRoute } from '../http/route'
import { apiRoutes, routes } from './routes'

it('given the operations of the API, when their routes are listed, then each operation has one route, and no route has no operation', () => {
  const byName = (groups: Record<string, object>) =>
    Object.entries(groups).flatMap(([group, members]) =>
      Object.entries(members).map(([name, member]) => [`${group}.${name}`, member] as const),
    )
  const declared = new Map<string, object>(byName(operations))
  const served = byName(routes) as (readonly [string, ApiRoute])[]
  expect(served.map(([name]) => name).sort()).toEqual([...declared.keys()].sort())
  for (const [name, route] of served) {
    const { operation } = route
    expect(operation, name).toBe(declared.get(name))
    expect(apiRoutes.get(operation.path)?.[operation.method.toUpperCase()], name).toBe(route)
  }
})
