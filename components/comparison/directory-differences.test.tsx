import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { answerWith, clickButton, renderUi, sentRequests } from '../testing/render'
import { DirectoryDifferences } from './directory-differences'

const changes = {
  added: { files: 1, bytes: 2 },
  removed: { files: 0, bytes: 0 },
  changed: { files: 2, bytes: 300_006 },
  unchanged: { files: 7, bytes: 70 },
  files: [
    { path: 'big.csv', change: 'changed', bytes_before: 10, bytes_after: 300_000 },
    { path: 'new\u202e.txt', change: 'added', bytes_before: null, bytes_after: 2 },
    { path: 'train.py', change: 'changed', bytes_before: 6, bytes_after: 6 },
  ],
  truncated: false,
}

it('lists the files that differ, and loads the lines of one when it is opened', async () => {
  answerWith({
    'GET /api/jobs/b/files/changes': changes,
    'GET /api/jobs/a/files/content': 'lr = 1',
    'GET /api/jobs/b/files/content': 'lr = 2',
  })
  renderUi(<DirectoryDifferences before="a" after="b" />)
  expect(await screen.findByText('1 added (2 B), 2 changed (293 KiB), 7 unchanged')).toBeTruthy()
  expect(screen.queryByText(/\u202e/)).toBeNull()
  expect(sentRequests).toHaveLength(1)
  clickButton(/train\.py/)
  expect(await screen.findByRole('region', { name: 'Differences of train.py' })).toBeTruthy()
  expect(screen.getByText(/lr = 1/)).toBeTruthy()
  expect(screen.getByText(/lr = 2/)).toBeTruthy()
  const asked = sentRequests.slice(1).map(({ path, query }) => [path, query.get('path')])
  expect(asked.sort()).toEqual([
    ['/api/jobs/a/files/content', 'train.py'],
    ['/api/jobs/b/files/content', 'train.py'],
  ])
})

it('loads only the side that has the file, and no large file', async () => {
  answerWith({ 'GET /api/jobs/b/files/changes': changes, 'GET /api/jobs/b/files/content': 'hi' })
  renderUi(<DirectoryDifferences before="a" after="b" />)
  clickButton(
    await screen.findByRole('button', { name: /^new/ }).then(({ textContent }) => textContent ?? ''),
  )
  expect(await screen.findByText(/hi/)).toBeTruthy()
  const { length } = sentRequests
  clickButton(/big\.csv/)
  expect(await screen.findByText(/files up to 256 KiB are compared/)).toBeTruthy()
  expect(sentRequests).toHaveLength(length)
})

it('shows no lines of a file that is not text', async () => {
  answerWith({
    'GET /api/jobs/b/files/changes': changes,
    'GET /api/jobs/a/files/content': 'x',
    'GET /api/jobs/b/files/content': '\ufffd',
  })
  renderUi(<DirectoryDifferences before="a" after="b" />)
  await screen.findByText(/1 added/)
  clickButton(/train\.py/)
  expect(await screen.findByText('The file is not text.')).toBeTruthy()
})
