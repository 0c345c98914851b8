import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { Diagnosis } from '@/lib/contract/diagnosis/diagnosis'
import type { JobDetail } from '@/lib/contract/jobs'
import { makeJob } from '../../testing/fixtures'
import { answerWith, renderUi } from '../../testing/render'
import type { Connection } from '../detail/use-event-stream'
import { OutputStore } from '../output/output-store'
import { FailureCard } from './failure-card'

vi.mock('next/navigation', () => import('../../testing/navigation'))

const error = "ModuleNotFoundError: No module named 'nothing_of_the_kind'"
const traceback = `Traceback (most recent call last):
  File "/job/solution.py", line 4, in <module>
    import nothing_of_the_kind
\u001b[1;35mModuleNotFoundError\u001b[0m: No module named 'nothing_of_the_kind'`

const diagnosed: Diagnosis = {
  cause: 'import_missing',
  summary: 'The environment does not have a module that the program imports.',
  fault: 'config',
  error,
  rank: null,
  node: null,
  place: {
    file: 'solution.py',
    line: 4,
    function: '<module>',
    code: 'import nothing_of_the_kind',
    context: [],
  },
  evidence: [error],
  next_step: 'Set environment to one that has the module nothing_of_the_kind.',
  fix: null,
}

const onTraceback = vi.fn()

/** @param changed how the answer of the server differs; null: it has no diagnosis. */
function openCard(
  changes: Partial<JobDetail>,
  changed: Partial<Diagnosis> | null = {},
  { stderr = traceback, connection = 'ended' }: { stderr?: string; connection?: Connection } = {},
) {
  const store = new OutputStore()
  store.append(stderr.split('\n').map((text) => ({ type: 'stderr', t: '2026-11-23T10:00:00.000Z', text })))
  const reason_text = 'The program ended with an error.'
  const job = makeJob({ status: 'failed', reason: 'exit_code', reason_text, ...changes })
  const diagnosis = changed && { ...diagnosed, ...changed }
  answerWith({ [`GET /api/status/${job.job_id}`]: { ...job, diagnosis } })
  renderUi(<FailureCard job={job} stream={{ store, connection }} onTraceback={onTraceback} />)
  return within(screen.getByRole('region', { name: 'Failure' }))
}

it('shows the exception, its line of code, the cause and what to change', async () => {
  const card = openCard({})
  expect(await card.findByText(error)).toBeTruthy()
  expect(card.getByText('import nothing_of_the_kind')).toBeTruthy()
  expect(card.getByText(`${diagnosed.summary} ${diagnosed.next_step}`)).toBeTruthy()
  expect(card.queryByText('The program ended with an error.')).toBeNull()
})

it('opens the editor in the line that failed, with the change of the diagnosis', async () => {
  const card = openCard({}, { fix: { key: 'memory_gb', value: 16 } })
  await card.findByText(error)
  const edit = card.getByRole('link', { name: 'Edit and run again' })
  expect(edit.getAttribute('href')).toBe(`/submit?from=${makeJob().job_id}&fix=memory_gb%3A16&line=4`)
})

it('says at which line of the output the last traceback begins', async () => {
  const card = openCard({}, {}, { stderr: `${traceback}\nepoch 1\nepoch 2\n${traceback}` })
  await card.findByText(error)
  expect(onTraceback).toHaveBeenLastCalledWith(6)
})

it('says beside the exception what was left in /work', async () => {
  const left =
    'The program left 2 files (1.0 MiB) in /work, which were not kept. The largest is a.bin (1.0 MiB).'
  const reason_text = `The program ended with an error. Exit code 1 (SIGHUP). ${left}`
  expect(await openCard({ reason_text }).findByText(left)).toBeTruthy()
})

it('opens the source at the line', async () => {
  const card = openCard({})
  fireEvent.click(await card.findByRole('link', { name: 'solution.py, line 4' }))
  expect(location.search).toBe('?tab=source&file=solution.py&line=4')
})

it('links to a file of the uploaded directory', async () => {
  const archive = { hash: 'a'.repeat(64), files: 1, bytes: 9 }
  const { job_id } = makeJob()
  const place = { ...diagnosed.place, file: 'src/train.py', line: 4, function: null, code: null, context: [] }
  const card = openCard({ archive }, { place })
  answerWith({
    [`GET /api/status/${job_id}`]: { ...makeJob(), diagnosis: { ...diagnosed, place } },
    [`GET /api/jobs/${job_id}/files`]: { files: [{ path: 'src/train.py', bytes: 9, target: null }] },
  })
  const link = await card.findByRole('link', { name: 'src/train.py, line 4' })
  expect(link.getAttribute('href')).toBe('?tab=source&file=src%2Ftrain.py&line=4')
})

it('says where the program failed without a link, if gpuq does not have the file', async () => {
  const place = { file: '/tmp/made.py', line: 4, function: null, code: null, context: [] }
  const card = openCard({}, { place })
  expect(await card.findByText('/tmp/made.py, line 4')).toBeTruthy()
  expect(card.queryByRole('link', { name: /made\.py/ })).toBeNull()
})

it('shows the error before the page has all of the output, and then looks for no line in it', async () => {
  onTraceback.mockClear()
  const card = openCard({}, {}, { connection: 'live' })
  expect(await card.findByText(error)).toBeTruthy()
  expect(onTraceback).not.toHaveBeenCalled()
})

it('shows the reason of a job that was stopped, with what to change', async () => {
  const reason_text = 'The job ran longer than its time limit and was stopped.'
  const next_step = 'Set max_time to more than 60.'
  const changed = { cause: 'timeout', error: reason_text, place: null, next_step } as const
  const card = openCard({ reason: 'timeout', reason_text, max_time: 60 }, changed)
  expect(await card.findByText(next_step)).toBeTruthy()
  expect(card.getByText(reason_text)).toBeTruthy()
})

it('does not take the last line of a program without a known cause for the reason of its end', async () => {
  const changed = { cause: 'exit_code', error: 'epoch 10 done', place: null, next_step: 'Read on.' } as const
  const card = openCard({}, changed)
  expect(await card.findByText('Read on.')).toBeTruthy()
  expect(card.getByText('The program ended with an error.')).toBeTruthy()
  expect(card.queryByText('epoch 10 done')).toBeNull()
})

it('does not ask the user to edit a job that failed because of the system', () => {
  const card = openCard({ reason: 'node_lost', reason_text: 'The node was lost.' }, null, { stderr: '' })
  expect(card.getByText('The node was lost.')).toBeTruthy()
  expect(card.queryByRole('link', { name: 'Edit and run again' })).toBeNull()
})

it('names the rank that failed first', async () => {
  const card = openCard({}, { rank: 1, node: 'lab-1' })
  expect(await card.findByText('From rank 1 on node lab-1, which failed first')).toBeTruthy()
})
