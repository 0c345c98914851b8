/** What keeps a table from growing without end. The test beside it checks what each kind names. */
export type Bound =
  /** Its rows count to the storage quota of a user: one of these views reads it. */
  | { quota: 'stored_bytes' | 'stored_records' }
  /** Users may have so many rows: a constant or function as `FILE: NAME`, or an environment variable. */
  | { limit: string }
  /** Rows are deleted after a time, by a function as `FILE: NAME`. */
  | { deletedBy: string }
  /** The number of rows for each row of another table: a constant as `FILE: NAME`, an environment variable, or a fixed number. */
  | { of: string; column: string; most: string | number }
  /** At most one row for each pair of rows of two tables: its primary key refers to both. */
  | { pairOf: readonly [string, string] }
  /** One row, by a check of the database. */
  | { oneRow: true }
  /** Only admins make rows, by this operation. */
  | { adminsBy: string }

/** What bounds each table of the database. A new table needs an entry. */
export const tableBounds: Record<string, Bound> = {
  // People and what they may do.
  users: { adminsBy: 'users.create' },
  // An account has the e-mail address of its user.
  accounts: { of: 'users', column: 'user_id', most: 'lib/access/sessions/external-accounts.ts: linkByEmail' },
  sessions: { limit: 'lib/access/sessions/session.ts: sessionsPerUser' },
  sign_in_throttles: { deletedBy: 'lib/access/sessions/sign-in-throttle.ts: deleteOldThrottles' },
  api_tokens: { limit: 'lib/access/tokens/insert-tokens.ts: endedTokenLimit' },
  role_limits: { adminsBy: 'limits.updateRole' },
  audit_events: { deletedBy: 'lib/access/audit.ts: deleteOldAuditEvents' },
  announcements: { oneRow: true },
  // Projects.
  projects: { limit: 'GPUQ_MAX_PROJECTS' },
  memberships: { pairOf: ['projects', 'users'] },
  project_invitations: { limit: 'lib/access/projects/project-invitations.ts: invitationsPerProject' },
  project_boards: { of: 'projects', column: 'project_id', most: 1 },
  project_board_names: { pairOf: ['projects', 'users'] },
  join_links: { limit: 'lib/join-links/join-links.ts: endedLinksPerProject' },
  buckets: { adminsBy: 'buckets.create' },
  environments: { adminsBy: 'environments.create' },
  model_requirements: { adminsBy: 'cluster.replaceModels' },
  // Competitions.
  competitions: { limit: 'lib/competitions/contract-limits.ts: maxCompetitions' },
  competition_members: { pairOf: ['competitions', 'users'] },
  competition_teams: {
    of: 'competitions',
    column: 'competition_id',
    most: 'lib/competitions/contract-limits.ts: maxTeams',
  },
  team_invitations: {
    of: 'competition_teams',
    column: 'team_id',
    most: 'lib/competitions/contract-limits.ts: maxInvitations',
  },
  competition_roster: {
    of: 'competitions',
    column: 'competition_id',
    most: 'lib/competitions/contract-limits.ts: maxRosterLines',
  },
  competition_phases: {
    of: 'competitions',
    column: 'competition_id',
    most: 'lib/competitions/contract-limits.ts: maxVersions',
  },
  competition_datasets: {
    of: 'competitions',
    column: 'competition_id',
    most: 'lib/competitions/contract-limits.ts: maxVersions',
  },
  competition_scorers: {
    of: 'competitions',
    column: 'competition_id',
    most: 'lib/competitions/contract-limits.ts: maxVersions',
  },
  entries: {
    of: 'competition_teams',
    column: 'team_id',
    most: 'lib/competitions/contract-limits.ts: maxEntries',
  },
  score_runs: {
    of: 'entries',
    column: 'entry_id',
    most: 'lib/competitions/contract-limits.ts: maxScoreRuns',
  },
  rescores: {
    of: 'competition_phases',
    column: 'phase_id',
    most: 'lib/competitions/contract-limits.ts: maxRescores',
  },
  competition_extensions: { pairOf: ['competition_phases', 'users'] },
  grade_overrides: { pairOf: ['competition_phases', 'users'] },
  board_snapshots: { of: 'competition_phases', column: 'phase_id', most: 1 },
  // Jobs. A job counts to the quota, so what belongs to it needs a limit per job.
  jobs: { quota: 'stored_records' },
  job_groups: { quota: 'stored_records' },
  group_rungs: {
    of: 'group_members',
    column: 'group_id',
    most: 'lib/groups/stopping/stop-rules.ts: maxRungs',
  },
  group_members: { of: 'job_groups', column: 'group_id', most: 'GPUQ_MAX_GROUP_MEMBERS' },
  used_up_budgets: { deletedBy: 'lib/budgets/enforce-budgets.ts: storeUsedUp' },
  approval_requests: { of: 'jobs', column: 'job_id', most: 1 },
  experiments: { of: 'jobs', column: 'job_id', most: 1 },
  replaced_jobs: { of: 'jobs', column: 'job_id', most: 1 },
  programs: { quota: 'stored_bytes' },
  tasks: { of: 'jobs', column: 'job_id', most: 8 },
  task_usage: { of: 'tasks', column: 'task_id', most: 1 },
  allocations: { of: 'tasks', column: 'task_id', most: 8 },
  log_chunks: { of: 'tasks', column: 'task_id', most: 'GPUQ_MAX_OUTPUT_MIB' },
  terminal_inputs: { of: 'tasks', column: 'task_id', most: 'lib/terminal/type-into.ts: maxWaitingPieces' },
  result_files: { quota: 'stored_bytes' },
  artifacts: { quota: 'stored_records' },
  working_files: { quota: 'stored_records' },
  job_metrics: { of: 'jobs', column: 'job_id', most: 'lib/results/metrics.ts: maxKept' },
  job_mounts: { of: 'jobs', column: 'job_id', most: 'lib/contract/config/mounts.ts: maxMounts' },
  job_dependencies: { of: 'jobs', column: 'job_id', most: 'lib/contract/config/depends-on.ts: maxJobs' },
  group_dependencies: {
    of: 'job_groups',
    column: 'group_id',
    most: 'lib/contract/config/depends-on.ts: maxJobs',
  },
  job_uploads: { of: 'jobs', column: 'job_id', most: 1 },
  job_shares: { of: 'jobs', column: 'job_id', most: 'lib/shares/shares.ts: maxShares' },
  result_shares: { limit: 'lib/project-results/result-shares.ts: maxShares' },
  download_links: { limit: 'lib/artifacts/download-links.ts: linksPerUser' },
  idempotency_keys: { deletedBy: 'lib/jobs/lifecycle/retention.ts: deleteExpired' },
  accounting_days: { of: 'jobs', column: 'user_id', most: 'GPUQ_MAX_TIME_S' },
  provisions: {
    of: 'jobs',
    column: 'job_id',
    most: 'lib/provisioning/provisions.ts: maxOutputCharacters',
  },
  slurm_jobs: { of: 'jobs', column: 'job_id', most: 1 },
  slurm_steps: { of: 'slurm_jobs', column: 'slurm_job_id', most: 8 },
  // What users keep.
  saved_views: { limit: 'lib/views/contract.ts: maxViews' },
  notification_targets: { limit: 'lib/notifications/targets.ts: mostTargets' },
  notification_deliveries: { deletedBy: 'lib/notifications/outbox.ts: deleteOldDeliveries' },
  webhook_secrets: { of: 'users', column: 'user_id', most: 1 },
  archives: { quota: 'stored_records' },
  archive_holders: { quota: 'stored_records' },
  archive_blobs: { quota: 'stored_records' },
  snapshots: { limit: 'GPUQ_MAX_SNAPSHOTS' },
  snapshot_names: { limit: 'lib/snapshots/push-snapshot.ts: maxSnapshotNames' },
  checkpoint_files: { quota: 'stored_records' },
  run_directories: { quota: 'stored_bytes' },
  // A submission makes at most one run, and its job counts to the quota.
  runs: { limit: 'lib/jobs/submission/resolve-run.ts: resolveRun' },
  run_users: { pairOf: ['runs', 'users'] },
  // Sums of changes, which the leader adds up.
  storage_changes: { deletedBy: 'lib/database/ledger.ts: compactLedger' },
  active_job_changes: { deletedBy: 'lib/database/ledger.ts: compactLedger' },
  // The cluster.
  nodes: { adminsBy: 'cluster.initialize' },
  node_reports: { of: 'nodes', column: 'node_id', most: 1 },
  gpus: { of: 'nodes', column: 'node_id', most: 64 },
  gpu_samples: { deletedBy: 'lib/cluster/gpus/gpu-samples.ts: deleteOldSamples' },
  policies: { oneRow: true },
  next_in_line: { oneRow: true },
  accounting_state: { oneRow: true },
  slurm_cluster: { oneRow: true },
  slurm_targets: { adminsBy: 'slurm.createTarget' },
  slurm_node_requests: { adminsBy: 'slurm.updateNode' },
}
