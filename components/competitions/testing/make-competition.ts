import type { CompetitionDetail, Member, Phase, Team } from '@/lib/competitions/contract'
import type { Board, BoardRow } from '@/lib/competitions/contract-boards'
import type { Entry, QuotaLeft } from '@/lib/competitions/contract-entries'

const hourMs = 3_600_000
const fromNow = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString()

/** A phase that opened yesterday and ends in two days. */
export function makePhase(changes: Partial<Phase> = {}): Phase {
  return {
    key: 'main',
    title: 'Main round',
    state: 'open',
    starts_at: fromNow(-24),
    ends_at: fromNow(48),
    logs: 'none',
    rehearse: true,
    run: { environment: null, gpu_count: 1, gpu_fraction: null, gpu_model: null, max_time: 1800 },
    quota: { per_day: 5, total: 60, failures_per_day: 10 },
    late: null,
    points: null,
    select: 'best',
    choose: 0,
    outputs: ['pred.csv'],
    inputs: ['train', 'test'],
    freeze_at: null,
    frozen: false,
    revealed: false,
    ...changes,
  }
}

/** A public competition that `ada` has joined. */
export function makeCompetition(changes: Partial<CompetitionDetail> = {}): CompetitionDetail {
  return {
    competition_id: 'cifar-sprint',
    title: 'CIFAR sprint',
    visibility: 'public',
    join: 'open',
    team_max: 3,
    timezone: 'UTC',
    published: true,
    created_at: fromNow(-100),
    role: 'participant',
    state: 'joined',
    phases: [makePhase()],
    pages: [{ name: 'overview.md', title: 'Overview', text: 'Classify **small** pictures.' }],
    terms: null,
    terms_accepted: true,
    teams: 12,
    datasets: [{ name: 'train', role: 'public', version: 2, files: 3, bytes: 4096 }],
    columns: [
      { name: 'acc', order: 'desc', digits: 4, split: 'public' },
      { name: 'seconds', order: 'asc', digits: 1, split: 'public' },
    ],
    scorer_version: 1,
    project: null,
    missing: [],
    ...changes,
  }
}

/** The same competition as its host sees it. */
export function makeHosted(changes: Partial<CompetitionDetail> = {}): CompetitionDetail {
  const project = {
    id: '01931111-0000-7000-8000-00000000000a',
    project_id: 'cifar-sprint',
    owner: 'competition-1',
  }
  return makeCompetition({ role: 'host', project, ...changes })
}

export function makeBoardRow(rank: number, changes: Partial<BoardRow> = {}): BoardRow {
  return {
    rank,
    change: 0,
    team: `team-${rank}`,
    kind: 'team',
    values: { acc: (1 - rank / 100_000).toFixed(4), seconds: '12.0' },
    entries: 3,
    best_at: fromNow(-1),
    own: false,
    ...changes,
  }
}

/** A page of a board of `total` teams. */
export function makeBoard(total: number, offset = 0, limit = 200, changes: Partial<Board> = {}): Board {
  return {
    competition_id: 'cifar-sprint',
    phase: 'main',
    columns: makeCompetition().columns,
    rank_by: 'acc',
    frozen_at: null,
    revealed: false,
    updated_at: '2026-11-22T10:00:00.000Z',
    total,
    rows: Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, at) =>
      makeBoardRow(offset + at + 1),
    ),
    own: null,
    ...changes,
  }
}

export function makeEntry(changes: Partial<Entry> = {}): Entry {
  return {
    id: '01931111-0000-7000-8000-000000000001',
    competition_id: 'cifar-sprint',
    phase: 'main',
    kind: 'entry',
    name: 'baseline',
    team: 'ada',
    user_id: 'ada',
    state: 'scored',
    cause: null,
    message: 'It was scored.',
    received_at: fromNow(-1),
    ended_at: fromNow(-0.9),
    seconds: 120,
    scores: { acc: '0.9123', seconds: '12.0' },
    chosen: false,
    disqualified: null,
    log: false,
    source_sha256: 'a'.repeat(64),
    provenance: null,
    job_id: null,
    ...changes,
  }
}

export function makeQuota(changes: Partial<QuotaLeft> = {}): QuotaLeft {
  return {
    per_day: { limit: 5, used: 2, left: 3, resets_at: fromNow(6) },
    total: { limit: 60, used: 2, left: 58, resets_at: null },
    failures_per_day: null,
    ...changes,
  }
}

export function makeTeam(changes: Partial<Team> = {}): Team {
  return {
    id: '01931111-0000-7000-8000-0000000000aa',
    name: 'ada',
    members: ['ada'],
    invited: [],
    created_at: fromNow(-20),
    ...changes,
  }
}

export function makeMember(changes: Partial<Member> = {}): Member {
  return {
    user_id: 'ben',
    name: null,
    role: 'participant',
    state: 'joined',
    section: null,
    grace_days: 0,
    team: 'ben',
    joined_at: fromNow(-20),
    ...changes,
  }
}
