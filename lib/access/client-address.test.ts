import { expect, it } from 'vitest'
import { clientAddress } from './client-address'
import { signInClient } from './sessions/session-client'

it('is the first address of the header, or unknown', () => {
  const addressOf = (value?: string) =>
    clientAddress(new Headers(value === undefined ? {} : { 'x-forwarded-for': value }))
  expect(addressOf('192.0.2.1')).toBe('192.0.2.1')
  expect(addressOf(' 2001:db8::1 , 10.0.0.1')).toBe('2001:db8::1')
  expect([addressOf(), addressOf(''), addressOf(',')]).toEqual(['unknown', 'unknown', 'unknown'])
})

it('is stored shortened, like the browser, because clients choose what they send', () => {
  const long = 'x'.repeat(5000)
  const headers = new Headers({ 'x-forwarded-for': long, 'user-agent': long, cookie: 'gpuq-device=d' })
  const { address, userAgent, deviceCookie } = signInClient(headers)
  expect([address.length, userAgent.length, deviceCookie]).toEqual([64, 200, 'd'])
})
