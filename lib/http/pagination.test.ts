import { describe, expect, it } from 'vitest'
import { linkHeader, pageResponse } from './pagination'

describe('a page response', () => {
  it('names the next page at the address that the web server knows, and keeps the filters', () => {
    const request = new Request('http://0.0.0.0:8001/api/jobs?status=failed&cursor=old', {
      headers: { host: 'evil.example' },
    })
    const forwarded = { 'x-forwarded-host': 'gpu.example.org', 'x-forwarded-proto': 'https' }
    expect(linkHeader(request, 'new')).toBe(
      '<http://localhost:8001/api/jobs?status=failed&cursor=new>; rel="next"',
    )
    expect(linkHeader(new Request(request, { headers: forwarded }), 'new')).toBe(
      '<https://gpu.example.org/api/jobs?status=failed&cursor=new>; rel="next"',
    )
  })

  it('is answered as a bare array', async () => {
    const request = new Request('http://localhost/api/jobs')
    const last = pageResponse(request, { items: [1], next: null })
    expect(await last.json()).toEqual([1])
    expect(last.headers.get('link')).toBeNull()
    expect(pageResponse(request, { items: [1], next: 'x' }).headers.get('link')).toContain('cursor=x')
  })

  it('takes a host that is none for what it is', () => {
    const headers = { 'x-forwarded-host': 'a b>; rel="next"' }
    expect(linkHeader(new Request('http://localhost/api/jobs', { headers }), 'x')).toBe(
      '<http://localhost:8001/api/jobs?cursor=x>; rel="next"',
    )
  })
})
