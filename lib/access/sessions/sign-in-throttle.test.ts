import { describe, expect, it } from 'vitest'
import { addressGroup, delayAfter, describeThrottling } from './sign-in-throttle'

describe('the delay after wrong passwords', () => {
  it('starts after the free failures, doubles, and has a limit', () => {
    const limit = { free: 3, maxDelayS: 10, forgottenAfterS: 60 }
    expect([1, 2, 3, 4, 5, 6, 7, 1000].map((failures) => delayAfter(failures, limit))).toEqual([
      0, 0, 1, 2, 4, 8, 10, 10,
    ])
  })

  it('is told in seconds or minutes', () => {
    expect(describeThrottling(1)).toBe('Too many wrong passwords. Wait 1 second and try again.')
    expect(describeThrottling(90)).toContain('90 seconds')
    expect(describeThrottling(121)).toContain('3 minutes')
  })
})

it('counts the addresses of one IPv6 network as one, and the same IPv4 address in any notation', () => {
  expect(addressGroup('2001:db8:1:2:3:4:5:6')).toBe(addressGroup('2001:db8:1:2::'))
  expect(addressGroup('2001:db8:1:2::')).not.toBe(addressGroup('2001:db8:1:3::'))
  expect(addressGroup('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(addressGroup('unknown')).toBe('unknown')
})
