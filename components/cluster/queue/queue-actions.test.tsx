import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { makeQueueJob } from '../../testing/fixtures'
import { openByKeyboard, renderUi } from '../../testing/render'
import { QueueActions } from './queue-actions'

it.each([
  ['no_free_gpu', 'Hold'],
  ['held', 'Release'],
  ['group_paused', null],
])('a job that waits because of %s can be held or released: %s', async (reason, action) => {
  renderUi(<QueueActions job={makeQueueJob({ reason })} />)
  openByKeyboard(screen.getByRole('button', { name: 'Actions for waits' }))
  expect(await screen.findByRole('menuitem', { name: 'Cancel job…' })).toBeTruthy()
  const offered = screen.queryByRole('menuitem', { name: /^(Hold|Release)$/ })
  expect(offered?.textContent ?? null).toBe(action)
})
