import type { GroupDetail, GroupMember } from '@/lib/groups/contract'

const at = '2026-11-22T10:00:00.000Z'

export function makeGroup(changes: Partial<GroupDetail> = {}): GroupDetail {
  return {
    group_id: '01931111-0000-7000-8000-0000000000aa',
    name: 'baseline sweep',
    kind: 'sweep',
    status: 'running',
    user_id: 'ada',
    project_id: 'resnet',
    submitted_with: null,
    competition_id: 'cifar10',
    members: 3,
    parallel: 2,
    gpus: 1,
    parameters: ['lr'],
    samples: null,
    repeat: 1,
    objective: { metric: 'loss', mode: 'min' },
    counts: { held: 1, paused: 0, pending: 0, running: 1, completed: 1, failed: 0, cancelled: 0 },
    parent: null,
    hypothesis: null,
    followers: 0,
    note: null,
    problem: null,
    created_at: at,
    ended_at: null,
    awaits_approval: false,
    waits_for_others: false,
    best: null,
    budget: null,
    ...changes,
  }
}

/** A completed member of the index, with the loss of its learning rate. */
export function makeMember(index: number, changes: Partial<GroupMember> = {}): GroupMember {
  const loss = Number((1 / (index + 1)).toFixed(4))
  return {
    index,
    job_id: `01931111-0000-7000-8000-${String(index).padStart(12, '0')}`,
    has_job: true,
    parameters: { lr: (index + 1) / 10 },
    repeat: 0,
    existing: false,
    status: 'completed',
    reason_text: null,
    exit_code: 0,
    gpus: null,
    objective: loss,
    metrics: { loss },
    not_finite: [],
    started_at: at,
    ended_at: '2026-11-22T10:05:00.000Z',
    ...changes,
  }
}

/** A member that the group holds. */
export const heldMember = (index: number): GroupMember =>
  makeMember(index, {
    has_job: false,
    status: 'held',
    exit_code: null,
    objective: null,
    metrics: {},
    started_at: null,
    ended_at: null,
  })
