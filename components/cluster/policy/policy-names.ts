import type { Policy } from '@/lib/contract/cluster'

/** The labels of the policies. */
export const policyNames = {
  priority: 'Priority',
  fcfs: 'First come, first served',
  sjf: 'Shortest job first',
  fair_share: 'Fair share',
} as const satisfies Record<Policy['scheduling_policy'], string>
