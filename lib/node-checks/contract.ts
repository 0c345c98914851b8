import * as z from 'zod'
import { nodeStates } from '../contract/cluster/cluster'

/** The checks of a node, as the page Health and `gpuq doctor` show them. */

/**
 * `failure`: jobs fail, or are not isolated. `warning`: it works, but less safely or not for long.
 * `not_applicable`: the node does not need it, or it could not be checked now; `found` says which.
 */
export const checkStatuses = ['failure', 'warning', 'ok', 'not_applicable'] as const
export type CheckStatus = (typeof checkStatuses)[number]

export const nodeCheckSchema = z.object({
  id: z.string().describe('stable name, such as gpu_compute'),
  title: z.string(),
  status: z.enum(checkStatuses),
  found: z.string().describe('what the check found, as text'),
  action: z.string().nullable().describe('what to do; null: nothing'),
})

export const nodeReportSchema = z.object({
  node_id: z.int(),
  name: z.string(),
  state: z.enum(nodeStates),
  checked_at: z.string().nullable().describe('when the last check began, RFC 3339, UTC; null: never'),
  checking: z.boolean().describe('an admin requested a check, and its result is not there yet'),
  failures: z.int(),
  warnings: z.int(),
  checks: z.array(nodeCheckSchema).describe('problems first'),
})

/** `GET /api/nodes/checks`. */
export const nodeReportsSchema = z.array(nodeReportSchema)

export type NodeCheck = z.output<typeof nodeCheckSchema>
export type NodeReport = z.output<typeof nodeReportSchema>

/** Number of checks with a status. */
export function countStatus(checks: readonly Pick<NodeCheck, 'status'>[], status: CheckStatus): number {
  return checks.filter((check) => check.status === status).length
}

/** Sorts checks by severity, problems first; equal ones keep their order. */
export function problemsFirst<Check extends Pick<NodeCheck, 'status'>>(checks: readonly Check[]): Check[] {
  const severity = ({ status }: Check) => checkStatuses.indexOf(status)
  return checks.toSorted((one, other) => severity(one) - severity(other))
}
