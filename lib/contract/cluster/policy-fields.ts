/** The orders of the queue. */
export const schedulingPolicies = ['priority', 'fcfs', 'sjf', 'fair_share'] as const

/** The environment variables that set fields of the policy at each start. `running` starts or stops the scheduler. */
export const policyVariables = {
  running: 'RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED',
  scheduling_policy: 'RESEARCH_AGENT_SCHEDULING_POLICY',
  max_queue_size: 'RESEARCH_AGENT_MAX_QUEUE_SIZE',
} as const
