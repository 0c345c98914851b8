import { useQuery } from '@tanstack/react-query'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { jobQuery } from '@/components/queries/queries'
import type { JobDetail } from '@/lib/contract/jobs'
import { makeJob, makeJobSummary } from '../../testing/fixtures'
import { ApiProblem, answerWith, clickButton, renderUi, sentRequests, typeInto } from '../../testing/render'
import { JobLabels } from './job-labels'
import { JobTags } from './job-tags'
import { NoteEditor } from './note-editor'
import { StarButton } from './star-button'
import { useUpdateJob } from './use-update-job'

vi.mock('next/navigation', () => import('../../testing/navigation'))

const { job_id } = makeJob()

function Labels() {
  const [editing, setEditing] = useState(false)
  const { data: job } = useQuery(jobQuery(job_id))
  const { update } = useUpdateJob(job_id)
  if (!job) return null
  return (
    <>
      <StarButton job={job} />
      <JobTags job={job} list="/jobs" />
      <button type="button" onClick={() => setEditing(true)}>
        Write
      </button>
      <NoteEditor
        note={job.note}
        placeholder=""
        editing={editing}
        onEditing={setEditing}
        onSave={(note) => update({ note })}
      />
    </>
  )
}

/** A server that stores each change. */
async function openLabels(changes: Partial<JobDetail> = {}) {
  let job = makeJob(changes)
  answerWith({
    [`GET /api/status/${job_id}`]: () => job,
    [`PATCH /api/jobs/${job_id}`]: ({ body }: { body: object }) => {
      job = { ...job, ...body }
      return job
    },
  })
  renderUi(<Labels />)
  await screen.findByRole('button', { name: 'Star' })
}

const changes = () => sentRequests.filter(({ method }) => method === 'PATCH').map(({ body }) => body)

it('gives a star and takes it away', async () => {
  await openLabels()
  const star = screen.getByRole('button', { name: 'Star' })
  expect(star.getAttribute('aria-pressed')).toBe('false')
  fireEvent.click(star)
  await waitFor(() => expect(star.getAttribute('aria-pressed')).toBe('true'))
  fireEvent.click(star)
  await waitFor(() => expect(star.getAttribute('aria-pressed')).toBe('false'))
  expect(changes()).toEqual([{ starred: true }, { starred: false }])
})

it('links tags to the list, adds them by keyboard and removes them', async () => {
  await openLabels({ tags: ['v 2'] })
  expect(screen.getByRole('link', { name: 'v 2' }).getAttribute('href')).toBe('/jobs?tag=v+2')
  clickButton('Edit tags')
  const box = screen.getByLabelText('New tag')
  expect(document.activeElement).toBe(box)
  typeInto('New tag', ' best ')
  fireEvent.keyDown(box, { key: 'Enter' })
  await screen.findByText('best')
  await waitFor(() => expect((box as HTMLInputElement).value).toBe(''))
  clickButton('Remove tag v 2')
  await waitFor(() => expect(screen.queryByText('v 2')).toBeNull())
  fireEvent.keyDown(box, { key: 'Escape' })
  expect(screen.getByRole('link', { name: 'best' })).toBeTruthy()
  expect(changes()).toEqual([{ tags: ['v 2', 'best'] }, { tags: ['best'] }])
})

it('says what is wrong with a tag, and does not send it', async () => {
  await openLabels()
  clickButton('Edit tags')
  typeInto('New tag', 'x'.repeat(65))
  fireEvent.keyDown(screen.getByLabelText('New tag'), { key: 'Enter' })
  await screen.findByText('A tag must be at most 64 characters.')
  expect(changes()).toEqual([])
})

it('shows why the server refused a change, and keeps the text', async () => {
  await openLabels()
  answerWith({
    [`PATCH /api/jobs/${job_id}`]: new ApiProblem(422, {
      detail: 'There are too many tags.',
      code: 'invalid',
    }),
  })
  clickButton('Edit tags')
  typeInto('New tag', 'one more')
  fireEvent.keyDown(screen.getByLabelText('New tag'), { key: 'Enter' })
  await screen.findByText(/There are too many tags\./)
  expect((screen.getByLabelText('New tag') as HTMLInputElement).value).toBe('one more')
})

it('writes, changes and deletes a note as plain text', async () => {
  await openLabels()
  clickButton('Write')
  typeInto('Note', '<b>too</b> slow')
  clickButton('Save note')
  const note = await screen.findByRole('region', { name: 'Note' })
  expect(within(note).getByText('<b>too</b> slow')).toBeTruthy()
  clickButton('Edit note')
  typeInto('Note', 'dropped')
  fireEvent.keyDown(screen.getByLabelText('Note'), { key: 'Escape' })
  expect(screen.getByText('<b>too</b> slow')).toBeTruthy()
  clickButton('Edit note')
  typeInto('Note', ' ')
  fireEvent.keyDown(screen.getByLabelText('Note'), { key: 'Enter', ctrlKey: true })
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Note' })).toBeNull())
  expect(changes()).toEqual([{ note: '<b>too</b> slow' }, { note: null }])
})

it('shows the star and the first tags in a list', () => {
  const job = makeJobSummary({ starred: true, tags: ['a', 'b', 'c', 'd'] })
  const { container } = renderUi(<JobLabels job={job} withTags />)
  expect(screen.getByRole('img', { name: 'Star' })).toBeTruthy()
  expect(container.textContent).toContain('ab+2')
})
