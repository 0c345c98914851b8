/** The orders of the queue. */
export const schedulingPolicies = ['priority', 'fcfs', 'sjf', 'fair_share'] as const

/** The environment variables that set fields of the policy at each start. `running` starts or stops the scheduler. */
export const policyVariables = {
  running: 'RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED',
  scheduling_policy: 'RESEARCH_AGENT_SCHEDULING_POLICY',
  max_queue_size: 'RESEARCH_AGENT_MAX_QUEUE_SIZE',
} as const

/** What the fields of the policy mean. The page shows it and needs no schema. */
export const policyMeanings = {
  max_concurrent_jobs: 'null: no limit',
  enable_auto_retry: 'true: jobs are retried after system faults',
  max_queue_size: 'maximum number of waiting jobs, from all interfaces',
  backfill: 'true: later jobs may start first if this delays no earlier job',
  predict_run_times:
    'true: the scheduler predicts run times from earlier jobs; false: it uses the estimates of users',
  ageing_minutes: 'waiting this long raises the priority by 1',
  half_life_hours: 'past use counts half after this time, with fair_share',
  memory_threshold: 'a GPU is not allocated if other programs use more of its memory',
  load_threshold: 'a GPU is not allocated if other programs load it more',
  quarantine_after: 'number of failures in a row that quarantine a node',
  probe_quarantined:
    'true: a quarantined node tests itself and returns to service when a test container works',
  idle_gpu_minutes:
    'a job none of whose GPUs had a load for this time is stopped, after a warning at half of it; null: never',
  require_existing_projects:
    'true: gpuq refuses a project_id that its user does not have; false: it creates the project',
} as const
