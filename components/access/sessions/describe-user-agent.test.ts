import { expect, it } from 'vitest'
import { describeUserAgent } from './describe-user-agent'

it('names browser and system', () => {
  const named = (userAgent: string) => describeUserAgent(`Mozilla/5.0 ${userAgent}`)
  expect(named('(X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0')).toBe('Firefox on Linux')
  expect(named('(Windows NT 10.0) AppleWebKit/537.36 Chrome/128.0 Safari/537.36 Edg/128.0')).toBe(
    'Edge on Windows',
  )
  expect(named('(Linux; Android 14) AppleWebKit/537.36 Chrome/128.0 Mobile Safari/537.36')).toBe(
    'Chrome on Android',
  )
  expect(named('(Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/17 Safari/605.1')).toBe(
    'Safari on macOS',
  )
})

it('shows what it does not know', () => {
  expect(describeUserAgent('curl/8.1')).toBe('curl/8.1')
  expect(describeUserAgent('')).toBe('Unknown browser')
})
