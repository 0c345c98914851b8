import type { GroupDetail, GroupMember } from '@/lib/groups/contract'
import { idOf } from './fake-context'

export const counts = { held: 0, paused: 0, pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0 }
export const member: GroupMember = {
  index: 1,
  job_id: idOf(7),
  has_job: true,
  parameters: { lr: 0.1 },
  repeat: 0,
  existing: false,
  status: 'completed',
  reason_text: null,
  exit_code: 0,
  gpus: 1,
  objective: 0.25,
  metrics: { loss: 0.25 },
  not_finite: [],
  started_at: '2026-01-01T00:00:00Z',
  ended_at: '2026-01-01T00:00:30Z',
}

const group: GroupDetail = {
  group_id: idOf(1),
  name: 'base',
  kind: 'sweep',
  status: 'running',
  user_id: 'ada',
  project_id: 'p',
  competition_id: 'c',
  members: 3,
  parallel: 2,
  gpus: 1,
  parameters: ['lr'],
  samples: null,
  repeat: 1,
  objective: { metric: 'loss', mode: 'min' },
  counts: { ...counts, held: 1, running: 2 },
  problem: null,
  submitted_with: null,
  parent: null,
  hypothesis: null,
  followers: 0,
  note: null,
  created_at: '2026-01-01T00:00:00Z',
  ended_at: null,
  best: null,
  awaits_approval: false,
  waits_for_others: false,
  budget: null,
}

/** A group of three members, as the server describes it. */
export const made = (changes: object = {}) => ({ ...group, ...changes })
