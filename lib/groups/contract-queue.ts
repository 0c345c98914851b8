import * as z from 'zod'
import { idSchema } from '../contract/jobs'
import { queueJobDetailSchema, queueStatuses, queueSubmitSchema } from '../contract/queue'
import { groupCountsSchema, groupKeyNames, storedGroupSchema } from './contract'

/** Groups in the queue API: one item with an id, like a job. */

const { command, user: _, estimated_duration_seconds: duration, ...keysOfJob } = queueSubmitSchema.shape
const keysOfGroup = Object.fromEntries(groupKeyNames.map((name) => [name, storedGroupSchema.shape[name]]))

/** `POST /queue/submit` with `matrix`, `array` or `members`. */
export const queueGroupSubmitSchema = z.strictObject({
  ...keysOfJob,
  command: command.optional().describe('what each member runs; {lr} becomes the value of the parameter lr'),
  user: idSchema.optional().describe('your own name: a group belongs to its sender'),
  estimated_duration_seconds: duration.describe(
    'of a member, which is stopped after twice this time; default: 1 hour',
  ),
  ...keysOfGroup,
})

const time = z.string().describe('RFC 3339, UTC')

/** `POST /queue/submit`, `GET /queue/ID` and `DELETE /queue/ID` for a group. */
export const queueGroupSchema = z.object({
  job_id: z.uuid().describe('the id of the group, by which this API reads and cancels it'),
  group_id: z.uuid().describe('the same id, for /api/groups/ID'),
  run_id: z.string().nullable().describe('the name of the group'),
  user: z.string(),
  project_id: z.string(),
  status: z
    .enum(queueStatuses)
    .describe('queued: no member has started yet; running: a member can still start or runs'),
  position: z
    .int()
    .nullable()
    .describe('of its first member that waits; null: none has a place in the queue'),
  expected_start: queueJobDetailSchema.shape.expected_start.describe('of that member'),
  expected_start_range: queueJobDetailSchema.shape.expected_start_range,
  expected_start_text: queueJobDetailSchema.shape.expected_start_text,
  members: z.int(),
  parallel: z.int().describe('members that may wait in the queue or run at once'),
  counts: groupCountsSchema,
  reason_text: z.string().nullable().describe('why its next member cannot enter the queue now'),
  hints: z.array(z.string()).optional().describe('what may be a mistake in the config'),
  submitted_at: time,
  completed_at: time.nullable(),
})
export type QueueGroup = z.output<typeof queueGroupSchema>
