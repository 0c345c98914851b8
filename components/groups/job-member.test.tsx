import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { GroupOfJob } from '@/lib/groups/contract'
import { answerWith, renderUi, sentRequests } from '../testing/render'
import { JobMember } from './job-member'
import { makeGroup, makeMember } from './testing/make-group'

const { group_id, name, kind } = makeGroup()
const ofJob: GroupOfJob = {
  group_id,
  name,
  kind,
  members: 3,
  member: makeMember(1),
  failed_jobs: [],
  previous: 'a',
  next: null,
}
const id = ofJob.member.job_id

it('the job of a member names its group and parameters, and links the members that have a job', async () => {
  answerWith({ [`GET /api/jobs/${id}/group`]: ofJob })
  const { container } = renderUi(<JobMember jobId={id} title="other" />)
  expect((await screen.findByRole('link', { name: 'baseline sweep' })).getAttribute('href')).toBe(
    `/groups/${group_id}`,
  )
  expect(container.textContent).toContain('Member #1 of 3 in baseline sweep: lr 0.2')
  expect(screen.getByRole('link', { name: 'Previous member' }).getAttribute('href')).toBe('/jobs/a')
  expect(screen.queryByRole('link', { name: 'Next member' })).toBeNull()
})

it('the page of a member does not repeat the name of its group, or what it shows elsewhere', async () => {
  const parameters = { name: 'ideas', hypothesis: 'A longer warm-up helps.', args: '--lr 0.1' }
  const wave = { ...ofJob, name: 'ideas', kind: 'wave', member: makeMember(1, { parameters }) }
  answerWith({ [`GET /api/jobs/${id}/group`]: wave })
  const { container } = renderUi(<JobMember jobId={id} title="ideas args=--lr 0.1" />)
  await screen.findByRole('link', { name: 'its wave' })
  expect(container.textContent).toContain('Member #1 of 3 in its wave: args --lr 0.1')
  expect(container.textContent).not.toContain('ideas')
})

it('the jobs of a member that failed and ran again lead to each other', async () => {
  const failed = '01931111-0000-7000-8000-0000000000ff'
  const again = { ...ofJob, failed_jobs: [failed] }
  answerWith({ [`GET /api/jobs/${id}/group`]: again, [`GET /api/jobs/${failed}/group`]: again })
  const now = renderUi(<JobMember jobId={id} title="other" />)
  const before = await screen.findByRole('link', { name: 'try 1' })
  expect(before.getAttribute('href')).toBe(`/jobs/${failed}`)
  now.unmount()
  renderUi(<JobMember jobId={failed} title="other" />)
  expect((await screen.findByRole('link', { name: 'another job' })).getAttribute('href')).toBe(`/jobs/${id}`)
  expect(screen.queryByRole('link', { name: 'try 1' })).toBeNull()
})

it('a job whose group cannot be read shows nothing of it', async () => {
  const { container } = renderUi(<JobMember jobId={id} title="other" />)
  await vi.waitFor(() => expect(sentRequests).toHaveLength(1))
  expect(container.querySelector('p')).toBeNull()
})
