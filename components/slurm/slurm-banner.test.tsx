import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { Orchestrator } from '@/lib/contract/cluster/cluster'
import { JobNote } from '../jobs/detail/job-note'
import { makeJob, makeQueueJob } from '../testing/fixtures'
import { answerWith, renderUi } from '../testing/render'
import { SlurmBanner } from './slurm-banner'

const orchestrator: Orchestrator = {
  running: true,
  set_by_environment: false,
  leader: true,
  scheduling_policy: 'priority',
  queued: 2,
  running_jobs: 1,
  engine: 'slurm',
  slurm: { version: '22.05.8', problem: null, read_at: '2026-11-23T09:00:00.000Z' },
}

it('says since when Slurm does not answer, and that jobs are kept', async () => {
  answerWith({
    'GET /api/orchestrator/status': {
      ...orchestrator,
      slurm: { ...orchestrator.slurm, problem: 'slurmctld did not answer within 10 s.' },
    },
  })
  renderUi(<SlurmBanner />)
  expect(await screen.findByText('Slurm does not answer')).toBeTruthy()
  const banner = screen.getByRole('alert')
  expect(banner.textContent).toMatch(/Its last answer was .+\. You can submit jobs: gpuq keeps them/)
  expect(banner.textContent).toContain('The cause: slurmctld did not answer within 10 s.')
})

it('names Slurm as the one that predicts the start of a job', async () => {
  const slurm = { slurm_id: 12, state: 'PENDING', reason: 'Priority', held: false, restarts: 0 }
  const job = makeJob({
    status: 'pending',
    reason: 'slurm_pending',
    placed: false,
    completed_at: null,
    started_at: null,
    slurm,
  })
  answerWith({
    [`GET /api/queue/${job.job_id}`]: {
      ...makeQueueJob({ expected_start: new Date(Date.now() + 3_600_000).toISOString() }),
      instances: [],
      completed_at: null,
      exit_code: null,
    },
  })
  renderUi(<JobNote own job={job} />)
  expect(await screen.findByText(/expected by Slurm to start/)).toBeTruthy()
})
