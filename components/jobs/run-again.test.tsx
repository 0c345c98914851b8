import { useQuery } from '@tanstack/react-query'
import { screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { jobSourceQuery } from '../queries/queries'
import { router } from '../testing/navigation'
import { answerWith, clickButton, renderUi, sentRequests } from '../testing/render'
import { useRunAgain } from './run-again'

vi.mock('next/navigation', () => import('../testing/navigation'))

const id = '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61'

function SourceWithButton() {
  const runAgain = useRunAgain()
  const { data } = useQuery(jobSourceQuery(id))
  return (
    <button type="button" onClick={() => void runAgain(id)}>
      Run again: {data?.code}
    </button>
  )
}

it('asks the server again for a job whose source is shown, because its priority may have changed', async () => {
  const config = 'competition_id: c\nproject_id: p\nexpected_time: 1\n'
  answerWith({
    'POST /api/submit': { job_id: id, status: 'pending' },
    [`GET /api/jobs/${id}/source`]: { code: 'print(1)', config, command: null },
  })
  renderUi(<SourceWithButton />)
  await screen.findByText(/print/)
  clickButton(/Run again/)
  await waitFor(() => expect(router.push).toHaveBeenCalledOnce())
  expect(sentRequests.slice(0, 3).map(({ method }) => method)).toEqual(['GET', 'GET', 'POST'])
})
