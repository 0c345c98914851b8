import { describe, expect, it } from 'vitest'
import { bestIn, readResultsView, writeResultsView } from './results-view'

const params = (text = '') => new URLSearchParams(text)
const written = (text: string, changes: Parameters<typeof writeResultsView>[1]) =>
  String(writeResultsView(params(text), changes))

describe('the address of results', () => {
  it('is empty for the default', () => {
    expect(written('', {})).toBe('')
    expect(readResultsView(params())).toMatchObject({
      metrics: null,
      group: null,
      columns: ['status', 'submitted'],
      sort: 'submitted',
      ascending: false,
      page: 1,
    })
  })

  it('has what was chosen, also names with commas, and keeps the rest of the query', () => {
    const changes = {
      search: 'tag:a',
      metrics: ['loss', 'a,b%'],
      group: 'tag.lr',
      columns: ['status', 'pictures'] as const,
      sort: 'metric.loss',
      ascending: true,
      best: new Map([['loss', 'highest'] as const, ['acc', 'highest'] as const]),
    }
    const address = written('metric=accuracy', changes)
    expect(address).toContain('metric=accuracy')
    // The guess of the name needs no place in the address.
    expect(readResultsView(params(address))).toEqual({
      ...changes,
      page: 1,
      best: new Map([['loss', 'highest']]),
    })
  })

  it('has no metrics if none are wanted, which is not the default', () => {
    expect(written('', { metrics: [] })).toBe('metrics=')
    expect(readResultsView(params('metrics=')).metrics).toEqual([])
  })

  it('begins at the first page after another change', () => {
    expect(written('rows=3', { page: 4 })).toBe('rows=4')
    expect(written('rows=3', { search: 'x' })).toBe('find=x')
  })

  it.each([
    'group=name',
    'group=tag.',
    `group=tag.${'x'.repeat(300)}`,
    'rows=-1',
    'rows=x',
    'columns=user,secret',
  ])('ignores what it does not know: %s', (text) => {
    const { group, page, columns } = readResultsView(params(text))
    expect(group).toBeNull()
    expect(page).toBe(1)
    expect(columns).not.toContain('user')
  })
})

it('a search with a mistake, which the server refuses, is ignored', () => {
  expect(readResultsView(params('find=status:nothing')).search).toBe('')
  expect(readResultsView(params('find=tag:a')).search).toBe('tag:a')
})

it('the best value is the chosen one, or guessed', () => {
  const view = readResultsView(params('highest=loss'))
  expect(bestIn(view, 'loss')).toBe('highest')
  expect(bestIn(view, 'val_loss')).toBe('lowest')
  expect(bestIn(readResultsView(params('highest=epoch')), 'epoch')).toBeNull()
})
