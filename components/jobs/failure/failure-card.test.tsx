import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { JobDetail } from '@/lib/contract/jobs'
import { makeInstance, makeJob } from '../../testing/fixtures'
import { answerWith, renderUi } from '../../testing/render'
import type { Connection } from '../detail/use-event-stream'
import { OutputStore } from '../output/output-store'
import { FailureCard } from './failure-card'

vi.mock('next/navigation', () => import('../../testing/navigation'))

const traceback = `Traceback (most recent call last):
  File "/job/solution.py", line 4, in <module>
    import nothing_of_the_kind
\u001b[1;35mModuleNotFoundError\u001b[0m: No module named 'nothing_of_the_kind'`

const onTraceback = vi.fn()

/** @param advice what the server says, which knows the output too. */
function openCard(
  changes: Partial<JobDetail>,
  stderr: string,
  connection: Connection = 'ended',
  advice: JobDetail['advice'] = null,
) {
  const store = new OutputStore()
  store.append(stderr.split('\n').map((text) => ({ type: 'stderr', t: '2026-11-23T10:00:00.000Z', text })))
  const reason_text = 'The program ended with an error.'
  const job = makeJob({ status: 'failed', reason: 'exit_code', reason_text, ...changes })
  answerWith({ [`GET /api/status/${job.job_id}`]: { ...job, advice } })
  renderUi(<FailureCard job={job} stream={{ store, connection }} onTraceback={onTraceback} />)
  return within(screen.getByRole('region', { name: 'Failure' }))
}

it('shows the exception, its line of code and what to change', async () => {
  const text = 'Set environment to one that has the module nothing_of_the_kind.'
  const card = openCard({}, `epoch 1\n${traceback}`, 'ended', {
    title: 'A module is missing',
    text,
    fix: null,
  })
  expect(card.getByText("ModuleNotFoundError: No module named 'nothing_of_the_kind'")).toBeTruthy()
  expect(card.getByText('import nothing_of_the_kind')).toBeTruthy()
  expect(await card.findByText(text)).toBeTruthy()
  expect(card.queryByText('The program ended with an error.')).toBeNull()
})

it('opens the editor in the line that failed, with the advised value', async () => {
  const fix = { key: 'memory_gb', value: 16 } as const
  const card = openCard({}, traceback, 'ended', { title: 'x', text: 'Set memory_gb.', fix })
  await card.findByText('Set memory_gb.')
  const edit = card.getByRole('link', { name: 'Edit and run again' })
  expect(edit.getAttribute('href')).toBe(`/submit?from=${makeJob().job_id}&fix=memory_gb%3A16&line=4`)
})

it('says at which line of the output the last traceback begins', () => {
  openCard({}, `epoch 1\nepoch 2\n${traceback}`)
  expect(onTraceback).toHaveBeenLastCalledWith(2)
})

it('says beside the exception what was left in /work', () => {
  const left =
    'The program left 2 files (1.0 MiB) in /work, which were not kept. The largest is a.bin (1.0 MiB).'
  const reason_text = `The program ended with an error. Exit code 1 (SIGHUP). ${left}`
  expect(openCard({ reason_text }, traceback).getByText(left)).toBeTruthy()
})

it('opens the source at the line', () => {
  const card = openCard({}, traceback)
  fireEvent.click(card.getByRole('link', { name: 'solution.py, line 4' }))
  expect(location.search).toBe('?tab=source&file=solution.py&line=4')
})

it('links to a file of the uploaded directory, and to no other file', async () => {
  const { job_id } = makeJob()
  answerWith({
    [`GET /api/jobs/${job_id}/files`]: { files: [{ path: 'src/train.py', bytes: 9, target: null }] },
  })
  const archive = { hash: 'a'.repeat(64), files: 1, bytes: 9 }
  const inDirectory = traceback.replace('/job/solution.py', '/work/src/train.py')
  const card = openCard({ archive }, inDirectory)
  const link = await card.findByRole('link', { name: 'src/train.py, line 4' })
  expect(link.getAttribute('href')).toBe('?tab=source&file=src%2Ftrain.py&line=4')
})

it('says where the program failed without a link, if gpuq does not have the file', () => {
  const card = openCard({}, traceback.replace('/job/solution.py', '/tmp/made.py'))
  expect(card.getByText('/tmp/made.py, line 4')).toBeTruthy()
  expect(card.queryByRole('link', { name: /made\.py/ })).toBeNull()
})

it('shows the reason until the output is complete', () => {
  const card = openCard({}, traceback, 'live')
  expect(card.getByText('The program ended with an error.')).toBeTruthy()
  expect(card.queryByText(/ModuleNotFoundError/)).toBeNull()
})

it('shows the reason of a job that was stopped, with the key to change, before its output has come', async () => {
  const reason_text = 'The job ran longer than its time limit and was stopped.'
  const advice = { title: 'x', text: 'Set max_time to more than 60.', fix: null }
  const card = openCard({ reason: 'timeout', reason_text, max_time: 60 }, traceback, 'live', advice)
  expect(card.getByText(reason_text)).toBeTruthy()
  expect(await card.findByText(advice.text)).toBeTruthy()
})

it('does not ask the user to edit a job that failed because of the system', () => {
  const card = openCard({ reason: 'node_lost', reason_text: 'The node was lost.' }, '')
  expect(card.getByText('The node was lost.')).toBeTruthy()
  expect(card.queryByRole('link', { name: 'Edit and run again' })).toBeNull()
})

it('shows the traceback of the rank that failed first, and names the rank', () => {
  const at = '2026-11-23T10:00:00.000Z'
  const instance = (rank: number, second: number) =>
    makeInstance({
      rank,
      node: `lab-${rank}`,
      reason: 'exit_code',
      ended_at: `2026-11-23T10:00:0${second}.000Z`,
    })
  const store = new OutputStore()
  const print = (rank: number, exception: string) =>
    store.append(
      traceback
        .replace(/.*ModuleNotFoundError.*/, exception)
        .split('\n')
        .map((text) => ({ type: 'stderr', t: at, text, rank })),
    )
  print(0, 'ConnectionError: rank 1 is gone')
  print(1, 'ValueError: no such class')
  const { resources } = makeJob()
  const job = makeJob({
    status: 'failed',
    reason: 'exit_code',
    resources: { ...resources, got: [instance(0, 5), instance(1, 2)] },
  })
  answerWith({ [`GET /api/status/${job.job_id}`]: job })
  renderUi(<FailureCard job={job} stream={{ store, connection: 'ended' }} />)
  expect(screen.getByText('ValueError: no such class')).toBeTruthy()
  expect(screen.getByText('From rank 1 on node lab-1, which failed first')).toBeTruthy()
  expect(screen.queryByText(/ConnectionError/)).toBeNull()
})
