import type { z } from 'zod'
import type { groupCountsSchema } from './contract'

export type GroupCounts = z.output<typeof groupCountsSchema>

/** SQL for the number of jobs of a group in each status, as JSON. An index has both columns. */
export const countsOf = (group: string) =>
  `(SELECT jsonb_build_object('pending', count(*) FILTER (WHERE gj.status IN ('pending', 'scheduled')),
             'running', count(*) FILTER (WHERE gj.status = 'running'), 'completed', count(*) FILTER (WHERE gj.status = 'completed'),
             'failed', count(*) FILTER (WHERE gj.status = 'failed'), 'cancelled', count(*) FILTER (WHERE gj.status = 'cancelled'))
      FROM jobs gj WHERE gj.group_id = ${group}.id)`
