import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import * as features from './features'
import { renderUi } from './testing/render'
import { MissingPartNotice } from './ui/missing-part'

vi.mock('./views/save-view', () => {
  throw new Error('Loading chunk 7 failed')
})

it('a part of a feature that cannot be loaded leaves the page as it is, and the page says so', async () => {
  renderUi(
    <>
      <p>jobs</p>
      <features.ofJobList.SaveView list={{ all: false, q: 'a', sort: '', columns: null }} columns={null} />
      <MissingPartNotice />
    </>,
  )
  await screen.findByText('A part of this page could not be loaded')
  expect(screen.getByText('jobs')).toBeTruthy()
})
