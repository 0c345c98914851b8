import { describe, expect, it } from 'vitest'
import { refuseFrameworkPath } from './framework-paths'

const files = { has: (url: string) => url === '/_next/static/chunks/a.js' }
const refuse = (url: string) => refuseFrameworkPath(url, files)

describe('a path of the framework', () => {
  it.each([
    '/_next/image?url=%2Ficon.svg&w=64&q=75',
    '/_next/image',
    '/_next/data/build/jobs.json',
    '/_next/static/chunks/a.js.map',
    '/_next/static/chunks/b.js',
    '/_next',
    '/_Next/Image',
    '/%5fnext/image',
    '/%5Fnext/image',
    '/%255fnext/image',
    '//_next/image',
    '/\\_next/image',
    '/%2f_next/image',
    '/%5c%5Fnext/image',
    '/__nextjs_original-stack-frame',
    '/_error',
    '/_not-found',
    '/_global-error',
  ])('is refused: %s', (url) => {
    expect(() => refuse(url)).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  it.each(['/', '/jobs', '/jobs/_next', '/docs/a_b', '/api/jobs?_rsc=1', '/_next/static/chunks/a.js'])(
    'is not: %s',
    (url) => {
      expect(() => refuse(url)).not.toThrow()
    },
  )
})
