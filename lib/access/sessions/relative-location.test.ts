import { expect, it } from 'vitest'
import { makeLocationRelative } from './relative-location'

const request = new Headers({ 'x-forwarded-host': '10.0.0.5:8001', 'x-forwarded-proto': 'http' })

it.each([
  ['http://10.0.0.5:8001/sign-in?error=Default', '/sign-in?error=Default'],
  ['http://10.0.0.5:8001/jobs#queue', '/jobs#queue'],
  ['/sign-in', '/sign-in'],
  ['https://github.com/login/oauth/authorize?x=1', 'https://github.com/login/oauth/authorize?x=1'],
  ['https://10.0.0.5:8001/jobs', 'https://10.0.0.5:8001/jobs'],
])('the redirect to %s becomes %s', (location, expected) => {
  const response = new Headers({ location })
  makeLocationRelative(response, request)
  expect(response.get('location')).toBe(expected)
})
