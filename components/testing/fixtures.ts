import type { Session, Token, User } from '@/lib/contract/access/access'
import { type ApiLimits, noJobLimits } from '@/lib/contract/access/limits'
import type { Project } from '@/lib/contract/access/projects'
import type { StorageUse } from '@/lib/contract/access/storage'
import type { ClusterGpu, ClusterNode, QueueJob } from '@/lib/contract/cluster/cluster'
import type { ShownPolicy } from '@/lib/contract/cluster/policy'
import type { JobDetail, JobSummary } from '@/lib/contract/jobs'

const at = '2026-11-22T10:00:00.000Z'

export const emptyStorage: StorageUse = {
  used_bytes: 0,
  quota_bytes: null,
  by_kind: { artifacts: 0, results: 0, sources: 0, archives: 0, checkpoints: 0, records: 0 },
}

const noBudget = { gpu_hour_budget: null, budget_period: 'total', budget_when_used_up: 'wait' } as const

export function makeLimits(changes: Partial<ApiLimits> = {}): ApiLimits {
  return { submissions_per_minute: null, max_active_jobs: null, ...noJobLimits, ...changes }
}

export function makeUser(changes: Partial<User> = {}): User {
  return {
    user_id: 'ada',
    email: null,
    name: null,
    role: 'researcher',
    disabled: false,
    may_create_classes: false,
    may_host_competitions: false,
    invited: false,
    limits: makeLimits(),
    storage: emptyStorage,
    storage_quota_gib: null,
    ...noBudget,
    unix_uid: null,
    unix_gid: null,
    created_at: at,
    last_seen_at: null,
    ...changes,
  }
}

export function makeSession(changes: Partial<Session> = {}): Session {
  return {
    session_id: 'session-1',
    current: false,
    address: '192.0.2.1',
    user_agent: '',
    created_at: at,
    last_seen_at: at,
    expires_at: at,
    ...changes,
  }
}

/** A project of `ada` without members. */
export function makeProject(changes: Partial<Project> = {}): Project {
  return {
    kind: 'private',
    agreed: [],
    means: true,
    asks: false,
    id: 'p1',
    project_id: 'shared',
    name: null,
    owner: 'ada',
    managers: [],
    pushers: [],
    may_push: true,
    members: [],
    names: {},
    invited: [],
    limits: makeLimits(),
    shares: { weight: 1, gpu_quota: null, ...noBudget },
    owner_gpu_hour_budget: null,
    bucket: null,
    retention_days: null,
    share_runs: false,
    old_shared_runs: [],
    default_retention_days: 90,
    storage: emptyStorage,
    gpu_hours_used: 0,
    created_at: at,
    ...changes,
  }
}

export function makeToken(changes: Partial<Token> = {}): Token {
  return {
    token_id: 'token-1',
    user_id: 'ada',
    user_name: null,
    name: 'laptop',
    limits: null,
    hint: 'gpuq_abcd',
    scopes: ['submit', 'read'],
    bound_to: null,
    created_by: null,
    created_at: at,
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    ...changes,
  }
}

export function makeJobSummary(changes: Partial<JobSummary> = {}): JobSummary {
  return {
    job_id: '01931111-0000-7000-8000-000000000001',
    name: 'baseline',
    status: 'completed',
    reason: 'finished',
    user_id: 'ada',
    user_name: null,
    competition_id: 'cifar10',
    project_id: 'resnet',
    environment: 'python',
    node_id: 0,
    node_name: 'lab-1',
    exit_code: 0,
    expected_time: 300,
    requested_gpus: 1,
    tags: [],
    starred: false,
    metrics: {},
    terminal: false,
    created_at: at,
    started_at: at,
    completed_at: '2026-11-22T10:05:03.000Z',
    ...changes,
  }
}

export function makeJob(changes: Partial<JobDetail> = {}): JobDetail {
  return {
    ...makeJobSummary(),
    idle_gpu: null,
    never_fits_ends_at: null,
    reason_text: 'The program ended without an error.',
    placed: true,
    attempt: 1,
    max_retries: 2,
    max_time: 600,
    gpus: [],
    resources: {
      asked: {
        gpu_count: 1,
        gpu_fraction: null,
        gpu_memory_gb: null,
        gpu_model: null,
        instance_count: 1,
        cpu: null,
        memory_gb: null,
      },
      got: [],
      used: {
        gpu_load_mean: null,
        gpu_memory_peak_mib: null,
        cpu_cores_mean: null,
        memory_peak_mib: null,
      },
    },
    cancel_requested: false,
    result_file: 'ada_cifar10_resnet.jsonl',
    files_deleted: null,
    deleted_after_days: null,
    output_bytes: 2048,
    note: null,
    parent: null,
    hypothesis: null,
    followers: 0,
    command: null,
    run_id: null,
    submitted_with: null,
    run_name: null,
    archive: null,
    snapshot: null,
    mounts: [],
    depends_on: [],
    priority: 0,
    provision: null,
    bucket: null,
    slurm: null,
    notice: null,
    ...changes,
  }
}

export function makeGpu(changes: Partial<ClusterGpu> = {}): ClusterGpu {
  return {
    gpu_id: 'gpu-0',
    index: 0,
    uuid: 'GPU-0',
    model: 'NVIDIA A100',
    simulated: false,
    state: 'free',
    reason: null,
    allocated: 0,
    memory_mib: 81_920,
    use: null,
    jobs: [],
    ...changes,
  }
}

export function makeNode(changes: Partial<ClusterNode> = {}): ClusterNode {
  return {
    node_id: 3,
    name: 'lab-1',
    state: 'ready',
    reason: null,
    simulated: false,
    pool: 'on-demand',
    dedicated: false,
    engine_version: '29.5',
    warnings: [],
    probe: null,
    failed_checks: 0,
    cpu_milli: 8000,
    cpu_used_milli: 500,
    memory_mib: 16_384,
    memory_used_mib: 1024,
    warm_containers: 0,
    warm_memory_mib: 0,
    gpus: [makeGpu()],
    ...changes,
  }
}

/** One instance of a job. */
export function makeInstance(
  changes: Partial<JobDetail['resources']['got'][number]> = {},
): JobDetail['resources']['got'][number] {
  return {
    rank: 0,
    node: 'lab-1',
    gpus: [],
    cpu_milli: 1000,
    memory_mib: 1024,
    reason: null,
    exit_code: null,
    ended_at: null,
    ...changes,
  }
}

export function makeQueueJob(changes: Partial<QueueJob> = {}): QueueJob {
  return {
    job_id: '01931111-0000-7000-8000-000000000002',
    group_id: null,
    run_id: null,
    name: 'waits',
    user: 'ada',
    user_name: null,
    project_id: 'resnet',
    command: null,
    status: 'queued',
    gpu_count: 8,
    gpu_fraction: null,
    gpu_memory_gb: null,
    gpu_model: null,
    instance_count: 1,
    priority: 0,
    line_priority: null,
    position: 1,
    expected_start: null,
    expected_start_range: null,
    expected_start_text: null,
    reason: 'no_free_gpu',
    reason_detail: null,
    reason_text: null,
    submitted_at: at,
    started_at: null,
    estimated_duration_seconds: 300,
    node: null,
    gpus: [],
    ...changes,
  }
}

export function makePolicy(changes: Partial<ShownPolicy> = {}): ShownPolicy {
  return {
    scheduling_policy: 'priority',
    max_concurrent_jobs: null,
    enable_auto_retry: true,
    max_queue_size: 1000,
    backfill: true,
    predict_run_times: true,
    ageing_minutes: 10,
    half_life_hours: 168,
    memory_threshold: 0.05,
    load_threshold: 0.1,
    quarantine_after: 3,
    probe_quarantined: true,
    idle_gpu_minutes: null,
    require_existing_projects: false,
    set_by_environment: [],
    ...changes,
  }
}
