import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { DryRun } from '@/lib/contract/submission/dry-run'
import { makeJobSummary } from '../../../testing/fixtures'
import { router } from '../../../testing/navigation'
import { ApiProblem, answerWith, clickButton, renderUi, sentRequests } from '../../../testing/render'
import { readFieldInfos } from '../../editor/field-infos'
import { SubmitView } from '../submit-view'

vi.mock('next/navigation', () => import('../../../testing/navigation'))

const environment = {
  name: 'python',
  image: 'python:3.13',
  description: null,
  network: 'none',
  prepare: [],
  prepare_problem: null,
  prepare_problem_at: null,
  is_default: true,
  enabled: true,
}

const config = 'competition_id: c\nproject_id: p\nexpected_time: 300  # seconds\n'

function openPage(draft = { config, code: 'print(1)\n' }): void {
  answerWith({ 'GET /api/jobs': [makeJobSummary()] })
  answerWith({ 'GET /api/environments': [environment] })
  renderUi(<SubmitView handle="ada" infos={readFieldInfos()} start={draft} />)
}

const submits = () => sentRequests.filter(({ path }) => path === '/api/submit')

describe('before submitting', () => {
  const answer: DryRun = {
    dry_run: true,
    text: 'gpuq would accept the job.',
    project_id: 'p',
    project_note: null,
    environment: 'python',
    resources: {
      gpu_count: 1,
      gpu_fraction: null,
      gpu_memory_gb: null,
      gpu_model: null,
      instance_count: 1,
      cpu: null,
      memory_gb: null,
      pool: 'on-demand',
    },
    max_time: 660,
    waits_for: [],
    queue_position: 3,
    expected_start: null,
    expected_start_text: null,
    left: { submissions_this_minute: 4, active_jobs: 0, waiting_jobs: null, dependent_jobs: 100 },
    hardware: [],
  }
  const dryRuns = () => sentRequests.filter(({ path }) => path === '/api/submit?dry_run=true')

  it('says where the job would be in the queue, and what the limits permit after it', async () => {
    answerWith({ 'POST /api/submit?dry_run=true': answer })
    openPage()
    await screen.findByText(/Position 3 in the queue/)
    const { textContent } = screen.getByRole('region', { name: 'Before you submit' })
    expect(textContent).toContain(
      'you may still have 4 more submissions in this minute and 0 more active jobs.',
    )
    expect(submits()).toEqual([])
  })

  it('says that the project would be created, and who decides the start', async () => {
    const project_note = 'Creates the private project "p".'
    const expected_start_text = 'Slurm decides when the job starts.'
    answerWith({ 'POST /api/submit?dry_run=true': { ...answer, project_note, expected_start_text } })
    openPage()
    await screen.findByText(/Slurm decides when the job starts. Creates the private project "p"./)
  })

  it('is not asked again once the draft is submitted, which its own job could refuse', async () => {
    answerWith({
      'POST /api/submit?dry_run=true': answer,
      'POST /api/submit': async () => {
        await new Promise((resolve) => setTimeout(resolve, 50))
        return { job_id: 'new-job', status: 'pending' }
      },
    })
    openPage()
    await screen.findByText(/Position 3 in the queue/)
    clickButton('Submit job')
    await waitFor(() => expect(router.push).toHaveBeenCalledWith('/jobs/new-job'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(dryRuns()).toHaveLength(1)
  })

  it('offers the nearest request, instead of saying that a job is ready that never fits', async () => {
    const detail = 'This job cannot start: it asks for 8 GPUs, and the largest node has 2.'
    const errors = [{ path: 'gpu_count', message: 'must be at most 2' }]
    answerWith({
      'POST /api/submit?dry_run=true': () =>
        dryRuns().length === 1
          ? new ApiProblem(422, { code: 'never_fits', detail, errors, nearest: { gpu_count: 2 } })
          : answer,
    })
    openPage({ config: `${config}gpu_count: 8\n`, code: 'print(1)\n' })
    await screen.findByText(detail)
    expect(screen.queryByText(/^Ready to submit/)).toBeNull()
    expect(screen.getByText('Not ready to submit')).toBeTruthy()
    clickButton('Use 2 GPUs')
    await screen.findByText('Ready to submit')
    expect(screen.getByLabelText('GPUs')).toHaveProperty('value', '2')
    expect(screen.queryByText(detail)).toBeNull()
    await screen.findByText(/Position 3/)
  })

  it('a limit names the job that counts, which can be opened and cancelled there', async () => {
    const job = { job_id: 'an-id', name: 'the first', status: 'running' }
    const refused = new ApiProblem(429, {
      code: 'rate_limited',
      detail: 'You have 1 active job.',
      jobs: [job],
    })
    answerWith({
      'POST /api/submit': refused,
      'POST /api/submit?dry_run=true': answer,
      'POST /api/cancel/an-id': makeJobSummary(),
    })
    openPage()
    await screen.findByText(/Position 3/)
    clickButton('Submit job')
    await screen.findByText('You have 1 active job.')
    expect(screen.getByRole('link', { name: 'Open the first' }).getAttribute('href')).toBe('/jobs/an-id')
    clickButton('Cancel the first')
    clickButton('Cancel job')
    await waitFor(() => expect(screen.queryByText('You have 1 active job.')).toBeNull())
    expect(sentRequests.some(({ path }) => path === '/api/cancel/an-id')).toBe(true)
    await screen.findByText('Ready to submit')
  })

  it('the GPUs of the cluster are a choice, which writes the model into the config', async () => {
    const kind = { memory_mib: 81_920, gpus: 4, free: 3, largest_node: 4, simulated: false }
    answerWith({
      'GET /api/hardware': [
        { ...kind, model: 'NVIDIA H100' },
        { ...kind, model: 'NVIDIA A100' },
      ],
    })
    openPage()
    const choice = await screen.findByRole('button', { name: 'NVIDIA H100, 80 GiB: 3 of 4 free' })
    fireEvent.click(choice)
    expect(screen.getByLabelText('GPU model')).toHaveProperty('value', 'NVIDIA H100')
    expect(choice.getAttribute('aria-pressed')).toBe('true')
    fireEvent.click(choice)
    expect(screen.getByLabelText('GPU model')).toHaveProperty('value', '')
  })
})
