import type { Policy } from '@/lib/contract/cluster/policy'

/** The orders of the queue. */
export const policyOrders = {
  priority: {
    label: 'Priority',
    description: 'The highest priority starts first, then the oldest job',
  },
  fcfs: {
    label: 'First come, first served',
    description: 'The oldest job starts first; priorities are ignored',
  },
  sjf: { label: 'Shortest job first', description: 'The shortest expected time starts first' },
  fair_share: {
    label: 'Fair share',
    description: 'Projects share by weight, then users within a project',
  },
} as const satisfies Record<Policy['scheduling_policy'], { label: string; description: string }>
