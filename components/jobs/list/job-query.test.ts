import { describe, expect, it } from 'vitest'
import { hasFilters, toJobQuery, withCursor, withFilter } from './job-query'

const own = { everyone: false }
const everyone = { everyone: true }
const params = (text: string) => new URLSearchParams(text)

describe('toJobQuery', () => {
  it('reads the filters in the address', () => {
    const query = toJobQuery(params('status=failed&competition_id=mnist&project_id=p1&cursor=c1'), own)
    expect(query).toEqual({
      limit: 50,
      status: 'failed',
      competition_id: 'mnist',
      project_id: 'p1',
      cursor: 'c1',
    })
    expect(hasFilters(query)).toBe(true)
  })

  it('reads a tag and the star', () => {
    expect(toJobQuery(params('tag=the+best&starred=true'), own)).toEqual({
      limit: 50,
      tag: 'the best',
      starred: true,
    })
    expect(toJobQuery(params(`tag=${'x'.repeat(65)}&starred=no`), own)).toEqual({ limit: 50 })
    expect(hasFilters(toJobQuery(params('starred=true'), own))).toBe(true)
  })

  it('ignores values that the API would reject', () => {
    const query = toJobQuery(params('status=paused&competition_id=../x&project_id=&limit=9999&all=true'), own)
    expect(query).toEqual({ limit: 50 })
    expect(hasFilters(query)).toBe(false)
  })

  it('requests all users or one user only for admins', () => {
    expect(toJobQuery(params('user_id=ada'), own)).toEqual({ limit: 50 })
    expect(toJobQuery(params(''), everyone)).toEqual({ limit: 50, all: true })
    expect(toJobQuery(params('user_id=ada'), everyone)).toEqual({ limit: 50, user_id: 'ada' })
  })
})

describe('the query', () => {
  it('returns to the first page when a filter changes', () => {
    expect(withFilter(params('project_id=p&cursor=c'), 'status', 'running').toString()).toBe(
      'project_id=p&status=running',
    )
    expect(withFilter(params('status=running'), 'status', null).size).toBe(0)
    expect(withFilter(params('project_id=p'), 'project_id', '').size).toBe(0)
  })

  it('keeps the filters from page to page', () => {
    expect(withCursor(params('status=running'), 'c2').toString()).toBe('status=running&cursor=c2')
    expect(withCursor(params('status=running&cursor=c2'), null).toString()).toBe('status=running')
  })
})
