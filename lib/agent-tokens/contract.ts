import * as z from 'zod'
import { submittedWithSchema } from '../contract/jobs'

/** A job or a group of an agent that waits until a person approves it. */
export const approvalSchema = z.object({
  id: z.uuid().describe('the id of the job or the group'),
  kind: z.enum(['job', 'group']),
  name: z.string().nullable(),
  user_id: z.string(),
  project_id: z.string(),
  submitted_with: submittedWithSchema,
  gpu_hours: z.number().describe('the most that it can cost'),
  created_at: z.string().describe('RFC 3339, UTC'),
  expires_at: z.string().describe('when it is refused unless somebody approves it; RFC 3339, UTC'),
})
export type Approval = z.output<typeof approvalSchema>

export const listApprovalsSchema = z.object({
  all: z.stringbool().default(false).describe('those of all users, for admins only'),
})

/** What ended with a token. */
export const stoppedTokenSchema = z.object({
  jobs: z.int().describe('jobs that were cancelled: those of groups are not counted'),
  groups: z.int().describe('groups that were cancelled, with their jobs'),
})
