import { describe, expect, it } from 'vitest'
import { safeNextPath } from './next-path'

describe('safeNextPath', () => {
  it.each(['/jobs', '/jobs/1?tab=result#end', '/submit?from=a%2Fb'])('keeps %j', (path) => {
    expect(safeNextPath(path)).toBe(path)
  })

  it.each([
    undefined,
    '',
    'jobs',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/%2e%2e//evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    '//',
  ])('refuses %j', (path) => {
    expect(safeNextPath(path)).toBe('/jobs')
  })
})
