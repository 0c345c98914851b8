import { describe, expect, it } from 'vitest'
import { readSearch, toJobQuery, withCursor, withSearch, withSort } from './job-query'

const own = { everyone: false }
const everyone = { everyone: true }
const params = (text: string) => new URLSearchParams(text)

describe('toJobQuery', () => {
  it('reads the search, the order and the page of an address', () => {
    expect(toJobQuery(params('q=status:failed+x&sort=-run_time&cursor=c1'), own)).toEqual({
      limit: 50,
      q: 'status:failed x',
      sort: '-run_time',
      cursor: 'c1',
    })
    expect(toJobQuery(params(''), everyone)).toEqual({ limit: 50, sort: 'active', all: true })
  })

  it('reads the filters of earlier addresses as a search', () => {
    const text = 'status=failed&competition_id=mnist&project_id=p1&tag=the+best&starred=true&q=x'
    expect(readSearch(params(text), own)).toBe(
      'status:failed competition:mnist project:p1 tag:"the best" is:starred x',
    )
    expect(readSearch(params('user_id=ada'), own)).toBe('')
    expect(readSearch(params('user_id=ada'), everyone)).toBe('user:ada')
  })

  it('ignores values that the API would reject', () => {
    const text = `status=paused&competition_id=../x&project_id=&limit=9999&all=true&sort=name&tag=${'x'.repeat(65)}`
    expect(toJobQuery(params(text), own)).toEqual({ limit: 50, sort: 'active' })
  })
})

describe('the address', () => {
  it('returns to the first page when the search or the order changes', () => {
    expect(withSearch(params('status=failed&sort=wait&cursor=c'), ' tag:v2 ').toString()).toBe(
      'sort=wait&q=tag%3Av2',
    )
    expect(withSearch(params('q=x&cursor=c'), '').size).toBe(0)
    expect(withSort(params('q=x&cursor=c'), '-wait').toString()).toBe('q=x&sort=-wait')
    expect(withSort(params('sort=wait'), null).size).toBe(0)
  })

  it('keeps the search from page to page', () => {
    expect(withCursor(params('q=x'), 'c2').toString()).toBe('q=x&cursor=c2')
    expect(withCursor(params('q=x&cursor=c2'), null).toString()).toBe('q=x')
  })
})
