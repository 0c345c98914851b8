import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { JobDetail } from '@/lib/contract/jobs'
import { makeJob, makeQueueJob } from '../../testing/fixtures'
import { router } from '../../testing/navigation'
import {
  ApiProblem,
  answerWith,
  clickButton,
  FakeEventSource,
  renderUi,
  sentRequests,
} from '../../testing/render'
import { JobView } from './job-view'

vi.mock('next/navigation', () => import('../../testing/navigation'))

async function openJob(
  changes: Partial<JobDetail> = {},
  tab = '',
  answers: Record<string, unknown> = {},
): Promise<JobDetail> {
  const job = makeJob(changes)
  answerWith({ [`GET /api/status/${job.job_id}`]: job, ...answers })
  window.history.replaceState(null, '', `/jobs/${job.job_id}${tab}`)
  renderUi(<JobView id={job.job_id} ownHandle="ada" admin={false} />)
  await screen.findByRole('heading', { level: 1 })
  return job
}

function readText(blob: Blob): Promise<unknown> {
  const reader = new FileReader()
  reader.readAsText(blob)
  return new Promise((resolve) => {
    reader.onload = () => resolve(reader.result)
  })
}

describe('the status of a job', () => {
  it('says that a running job is suspended in Slurm', async () => {
    const reason_text = 'Slurm suspended the job. Its program is paused until Slurm resumes it.'
    await openJob({ status: 'running', reason: 'slurm_suspended', reason_text, completed_at: null })
    expect(screen.getByText(reason_text)).toBeTruthy()
  })

  it('is completed with its run time and a link to its project', async () => {
    await openJob()
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('baseline')
    expect(screen.getByText('Completed')).toBeTruthy()
    expect(screen.queryByText('The program ended without an error.')).toBeNull()
    expect(screen.getByText('5 min 03 s')).toBeTruthy()
    expect(screen.getAllByRole('term').map(({ textContent }) => textContent)).toEqual([
      'Status',
      'Run time',
      'Exit code',
      'Node',
      'GPUs',
    ])
    expect(screen.getByRole('link', { name: 'resnet' }).getAttribute('href')).toBe('/jobs?project_id=resnet')
  })

  it('says what a program left in /work', async () => {
    const left = 'The program left 1 file (1000 B) in /work, which was not kept: a.bin.'
    await openJob({ reason: 'finished', reason_text: `The program ended with exit code 0. ${left}` })
    expect(screen.getByText(left)).toBeTruthy()
  })

  it('says between which times it is expected to start', async () => {
    const [earliest, latest] = ['2030-01-02T10:00:00Z', '2030-01-02T11:00:00Z']
    const start = { expected_start: '2030-01-02T10:20:00Z', expected_start_range: { earliest, latest } }
    const expected_start_text = 'The start depends on the end of a running job.'
    const details = { instances: [], completed_at: null, exit_code: null, expected_start_text, ...start }
    answerWith({ [`GET /api/queue/${makeJob().job_id}`]: { ...makeQueueJob(), ...details } })
    await openJob({ status: 'pending', placed: false, started_at: null, completed_at: null })
    expect(await screen.findByText(/^between 2 Jan .* and /)).toBeTruthy()
    expect(screen.getByText(/The start depends on the end of a running job\./)).toBeTruthy()
  })

  it('has its predicted run time, and what the prediction is based on', async () => {
    const running = { status: 'running', started_at: new Date().toISOString(), completed_at: null } as const
    const predicted_time = { seconds: 1_500, basis: 'same_program', jobs: 12 } as const
    await openJob({ ...running, expected_time: 3_600, max_time: 7_200, predicted_time }, '?tab=details')
    expect(screen.getByText('of about 25 min')).toBeTruthy()
    const progress = screen.getByRole('progressbar', { name: 'Run time, of the expected 25 min' })
    expect(Number(progress.getAttribute('aria-valuenow'))).toBeLessThan(50)
    await screen.findByText('25 min, from 12 earlier jobs with the same content or name')
  })

  it('is waiting with its reason, position and expected start', async () => {
    const details = { instances: [], completed_at: null, exit_code: null }
    answerWith({ [`GET /api/queue/${makeJob().job_id}`]: { ...makeQueueJob(), ...details } })
    await openJob({
      status: 'pending',
      placed: false,
      started_at: null,
      completed_at: null,
      reason: 'no_free_gpu',
      reason_text: 'It needs 8 GPUs on one node.',
    })
    expect(screen.getByText('Pending')).toBeTruthy()
    expect(screen.getByText(/It needs 8 GPUs on one node\./)).toBeTruthy()
    expect(screen.getByText('The job is waiting')).toBeTruthy()
    await screen.findByRole('link', { name: 'Position 1 in the queue' })
    expect(screen.getByText(/When it starts is not known yet/)).toBeTruthy()
  })

  it('offers what fits to a job that cannot start, and replaces it with one click', async () => {
    const reason_text = 'This job cannot start: it asks for 8 GPUs, and the largest node has 2.'
    const { job_id } = makeJob()
    const config = 'competition_id: c\nproject_id: p\nexpected_time: 300\ngpu_count: 8\nmemory_gb: 4\n'
    const sent: string[] = []
    const appended = vi.spyOn(FormData.prototype, 'append')
    await openJob(
      {
        status: 'pending',
        placed: false,
        started_at: null,
        completed_at: null,
        reason: 'never_fits',
        reason_text,
        nearest: { gpu_count: 2, memory_gb: null },
      },
      '',
      {
        [`GET /api/jobs/${job_id}/source`]: { code: 'print(1)', config, command: null },
        'POST /api/submit': () => {
          sent.push('submit')
          return { job_id: 'smaller', status: 'pending' }
        },
        [`POST /api/cancel/${job_id}`]: () => {
          sent.push('cancel')
          return makeJob({ status: 'cancelled' })
        },
      },
    )
    expect(screen.getByText(new RegExp(`^${reason_text}`)).textContent).not.toContain('Position')
    await screen.findByRole('button', { name: /^Use 2 GPUs/ })
    clickButton(/^Use 2 GPUs/)
    await waitFor(() => expect(router.push).toHaveBeenCalledWith('/jobs/smaller'))
    expect(sent).toEqual(['submit', 'cancel'])
    const [, sentConfig] = appended.mock.calls.find(([name]) => name === 'config_file') ?? []
    const changed = config.replace('8', '2').replace('memory_gb: 4\n', '')
    expect(await readText(sentConfig as unknown as Blob)).toBe(changed)
  })

  it('offers no other request any more, and shows its place, when the job can start', async () => {
    const waits = { status: 'pending', placed: false, started_at: null, completed_at: null } as const
    const position = { ...makeQueueJob(), instances: [] }
    const { job_id } = makeJob()
    const job = await openJob(
      { ...waits, reason: 'never_fits', reason_text: 'This job cannot start: x', nearest: { gpu_count: 2 } },
      '',
      { [`GET /api/queue/${job_id}`]: position },
    )
    await screen.findByRole('button', { name: 'Use 2 GPUs' })
    const later = { ...job, reason: 'no_free_gpu', reason_text: 'No GPU is free.', nearest: null }
    answerWith({ [`GET /api/status/${job_id}`]: later })
    act(() => FakeEventSource.latest?.emit('job', JSON.stringify(later)))
    await screen.findByText(/Position 1 in the queue/)
    expect(screen.queryByRole('button', { name: 'Use 2 GPUs' })).toBeNull()
  })

  it('keeps a job that cannot start if the one that fits is refused, and says why', async () => {
    const { job_id } = makeJob()
    const waits = { status: 'pending', placed: false, started_at: null, completed_at: null } as const
    await openJob({ ...waits, reason: 'never_fits', reason_text: 'x', nearest: { gpu_count: 2 } }, '', {
      [`GET /api/jobs/${job_id}/source`]: { code: 'print(1)', config: 'gpu_count: 8\n', command: null },
      'POST /api/submit': new ApiProblem(409, { code: 'conflict', detail: 'The run has an active job.' }),
    })
    await screen.findByRole('button', { name: 'Use 2 GPUs' })
    clickButton('Use 2 GPUs')
    await screen.findByText('The run has an active job.')
    expect(sentRequests.some(({ path }) => path.startsWith('/api/cancel'))).toBe(false)
  })

  it('a job that cannot start and whose run is in the way of the one that fits is cancelled first', async () => {
    const { job_id } = makeJob()
    const waits = { status: 'pending', placed: false, started_at: null, completed_at: null } as const
    let cancelled = false
    const detail = 'The run is active.'
    await openJob({ ...waits, reason: 'never_fits', reason_text: 'x', nearest: { gpu_count: 2 } }, '', {
      [`GET /api/jobs/${job_id}/source`]: {
        code: 'print(1)',
        config: 'gpu_count: 8\nrun_name: a\n',
        command: null,
      },
      'POST /api/submit': () => {
        const jobs = [{ job_id, name: null, status: 'pending' }] as const
        return cancelled
          ? { job_id: 'smaller', status: 'pending' }
          : new ApiProblem(409, { code: 'conflict', detail, jobs })
      },
      [`POST /api/cancel/${job_id}`]: () => {
        cancelled = true
        return makeJob({ status: 'cancelled' })
      },
    })
    await screen.findByRole('button', { name: 'Use 2 GPUs' })
    clickButton('Use 2 GPUs')
    await waitFor(() => expect(router.push).toHaveBeenCalledWith('/jobs/smaller'))
    expect(screen.queryByText(detail)).toBeNull()
  })

  it('shows no place in the queue to a job that asks for more than a quota', async () => {
    const reason_text = 'This job cannot start: it asks for 4 GPUs, and the quota is 1.'
    const waits = { status: 'pending', placed: false, started_at: null, completed_at: null } as const
    answerWith({ [`GET /api/queue/${makeJob().job_id}`]: { ...makeQueueJob(), instances: [] } })
    await openJob({ ...waits, reason: 'quota', reason_text })
    await waitFor(() =>
      expect(sentRequests.filter(({ path }) => path.startsWith('/api/status')).length).toBeGreaterThan(1),
    )
    expect(screen.getByText(reason_text)).toBeTruthy()
    expect(screen.queryByText(/Position/)).toBeNull()
  })

  it('says when a job ends that no node fits any more', async () => {
    await openJob({
      status: 'pending',
      placed: false,
      started_at: null,
      completed_at: null,
      reason: 'never_fits',
      reason_text: 'No node has what the job needs.',
      never_fits_ends_at: new Date(Date.now() + 3 * 86_400_000 + 60_000).toISOString(),
    })
    const { textContent } = screen.getByText(/It leaves the queue/)
    expect(textContent).toMatch(/^No node has what the job needs\./)
    expect(textContent).toMatch(/queue in 3 d, unless a node that is large enough is\s+added before\./)
    expect(textContent).not.toContain('Position')
  })

  it('is paused by its group, which decides when its next attempt starts', async () => {
    const reason_text = 'The group of the job paused it. Paused at step 30: loss 3 is worse.'
    const waits = { status: 'pending', placed: false, started_at: null, completed_at: null } as const
    await openJob({ ...waits, reason: 'group_paused', reason_text, attempt: 2 })
    expect(screen.getByText('Paused')).toBeTruthy()
    expect(screen.getByText(reason_text).textContent).toBe(reason_text)
    expect(screen.queryByText('Pending')).toBeNull()
  })

  it('is starting if a node is assigned', async () => {
    await openJob({ status: 'pending', placed: true, started_at: null, completed_at: null })
    expect(screen.getByText('Starting')).toBeTruthy()
    expect(screen.getByText('lab-1')).toBeTruthy()
  })

  it('shows deleted files and a retry', async () => {
    await openJob({ attempt: 2, files_deleted: 'retention', deleted_after_days: 30, result_file: null })
    expect(screen.getByText('attempt 2')).toBeTruthy()
    expect(screen.getByText(/output and files were deleted after 30 days/)).toBeTruthy()
  })

  it('shows files that were deleted on request, and does not offer to run the deleted program again', async () => {
    await openJob({ files_deleted: 'on_request', result_file: null })
    expect(screen.getByText(/output, files and source were deleted on request/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Run again' })).toBeNull()
  })

  it('changes with the events of the server', async () => {
    const job = await openJob({ status: 'running', completed_at: null })
    expect(screen.getByText('Running')).toBeTruthy()
    act(() => {
      const ended = { ...job, status: 'failed', reason: 'node_lost', reason_text: 'The node was lost.' }
      FakeEventSource.latest?.emit('job', JSON.stringify({ ...ended, completed_at: job.created_at }))
    })
    await screen.findByText('Failed')
    expect(await screen.findByText('The node was lost.')).toBeTruthy()
  })
})

describe('the actions for a job', () => {
  it('cancel a running job after a confirmation', async () => {
    const job = await openJob({ status: 'running', completed_at: null })
    const cancelling = { ...job, cancel_requested: true }
    answerWith({
      [`POST /api/cancel/${job.job_id}`]: cancelling,
      [`GET /api/status/${job.job_id}`]: cancelling,
    })
    expect(screen.queryByRole('button', { name: 'Run again' })).toBeNull()
    clickButton('Cancel')
    const question = screen.getByRole('alertdialog', { name: 'Cancel this job?' })
    expect(question.textContent).toContain('gpuq stops the program and keeps its output.')
    clickButton('Cancel job')
    expect((await screen.findAllByText('Cancelling')).length).toBeGreaterThan(0)
  })

  it('run an ended job again and open the new one', async () => {
    const job = await openJob()
    answerWith({
      [`GET /api/jobs/${job.job_id}/source`]: {
        code: 'print(1)',
        config: 'project_id: resnet\n',
        command: null,
      },
      'POST /api/submit': { job_id: 'new-job', status: 'pending' },
    })
    expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull()
    clickButton('Run again')
    await waitFor(() => expect(router.push).toHaveBeenCalledWith('/jobs/new-job'))
  })
})

it('shows the uploaded directory as a tree with downloads, and no empty program', async () => {
  const { job_id } = makeJob()
  await openJob({}, '?tab=source', {
    [`GET /api/jobs/${job_id}/source`]: { code: '', config: 'entrypoint: src/train.py\n', command: null },
    [`GET /api/jobs/${job_id}/files`]: {
      files: [
        { path: 'data.csv', bytes: 2048, target: null },
        { path: 'latest', bytes: 0, target: 'data.csv' },
        { path: 'src/train.py', bytes: 1024, target: null },
      ],
    },
  })
  const panel = screen.getByRole('tabpanel', { name: 'Source' })
  const directory = await within(panel).findByRole('button', { name: /src/ })
  expect(directory.textContent).toContain('1 file, 1.0 KiB')
  expect(within(panel).getByText('→ data.csv')).toBeTruthy()
  expect(within(panel).queryByText('train.py')).toBeNull()
  fireEvent.click(directory)
  expect(within(panel).getByText('train.py')).toBeTruthy()
  const link = within(panel).getByRole('link', { name: 'Download src/train.py' })
  expect(link.getAttribute('href')).toBe(`/api/jobs/${job_id}/files/content?path=src%2Ftrain.py`)
  expect(within(panel).queryByText('solution.py')).toBeNull()
})

const dependency = {
  job_id: null,
  group_id: null,
  when: 'ok',
  name: null,
  status: null,
  members: null,
  ended: null,
} as const

it('shows the details tab of the address', async () => {
  const gpus = [{ index: 3, uuid: 'GPU-3', model: 'NVIDIA A100', simulated: false, milli: 500 }]
  await openJob(
    {
      gpus,
      tags: ['v2'],
      archive: { hash: 'ab'.repeat(32), files: 1, bytes: 2048 },
      mounts: [{ path: '/data', snapshot: 'data/cifar10@1' }],
      depends_on: [
        { ...dependency, job_id: 'prepared', name: 'prepare', status: 'completed' },
        {
          ...dependency,
          group_id: 'sweep',
          name: 'lr',
          when: 'any',
          status: 'running',
          members: 9,
          ended: 3,
        },
        { ...dependency, job_id: 'slurm:17', when: 'failed' },
      ],
    },
    '?tab=details',
  )
  const panel = screen.getByRole('tabpanel', { name: 'Details' })
  await within(panel).findByText('at most 2')
  expect(panel.textContent).toContain('10 min')
  expect(panel.textContent).toContain('1 file, 2.0 KiB')
  expect(panel.textContent).toContain('/data data/cifar10@1')
  expect(within(panel).getByRole('link', { name: 'prepare' }).getAttribute('href')).toBe('/jobs/prepared')
  expect(within(panel).getByRole('link', { name: 'lr' }).getAttribute('href')).toBe('/groups/sweep')
  expect(panel.textContent).toContain('group lr running, 3 of 9 ended, after any end')
  expect(panel.textContent).toContain('slurm:17, after a failure')
  expect(screen.getByRole('link', { name: 'v2' }).getAttribute('href')).toBe('/jobs?tag=v2')
  expect(within(panel).getByRole('region', { name: 'GPUs' }).textContent).toContain('50 %')
})

describe('the bucket of a job', () => {
  const bucket = {
    url: 's3://research/gpuq/1',
    log_url: 's3://research/gpuq/1/log.txt',
    attempts: 2,
    problem: null,
    next_try_at: null,
    stored_at: null,
  }

  it('has its address and whether everything was stored', async () => {
    await openJob({ bucket: { ...bucket, state: 'stored', stored_at: '2026-11-23T06:00:00.000Z' } })
    expect(await screen.findByText('s3://research/gpuq/1')).toBeTruthy()
    expect(screen.getByText('stored')).toBeTruthy()
  })

  it('says why it does not have the results yet', async () => {
    await openJob({ bucket: { ...bucket, state: 'storing', problem: 'The bucket is not reachable.' } })
    expect(await screen.findByText('retrying')).toBeTruthy()
    expect(screen.getByText('2 attempts: The bucket is not reachable.')).toBeTruthy()
  })
})

describe('the column beside the output', () => {
  const running = { status: 'running', completed_at: null } as const
  it.each([
    ['is there while a job may still print metrics', running, true],
    ['is there if the job printed metrics', { metrics: { loss: 1 } }, true],
    ['is not there if the job printed none', {}, false],
    ['does not make a terminal narrower', { ...running, terminal: true }, false],
  ] as const)('%s', async (_, changes, expected) => {
    await openJob(changes, '?tab=details')
    expect(screen.queryByRole('complementary') !== null).toBe(expected)
  })

  it('stays when the job ends without metrics, so that the output does not move', async () => {
    const job = await openJob(running, '?tab=details')
    act(() => FakeEventSource.latest?.emit('job', JSON.stringify({ ...job, status: 'completed' })))
    expect(await screen.findByText('Completed')).toBeTruthy()
    expect(screen.getByRole('complementary')).toBeTruthy()
  })
})
