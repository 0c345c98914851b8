import { expect, it } from 'vitest'
import { routes } from '@/lib/http/client/routes'
import { describeRoutes } from './describe-routes'

it('has the current operations in the routes of the clients; if not: npm run docs', () => {
  expect(routes).toEqual(describeRoutes())
})
