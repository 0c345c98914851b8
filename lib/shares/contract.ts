import * as z from 'zod'
import { artifactListSchema } from '../artifacts/contract'
import { jobDetailSchema } from '../contract/jobs'

export const maxShareDays = 90

const output = z.boolean().describe('show the output and the results')
const metrics = z.boolean().describe('show curves of the numbers in the lines of JSON that the job prints')
const files = z.boolean().describe('show the files in /results, to preview and download')
const source = z
  .boolean()
  .describe('show the program and the config, without the values of environment variables')

/** What a link can show beside the facts of the job. It is chosen when the link is made, and does not change. */
export const sharePartsSchema = z.object({ output, metrics, files, source })

/** `POST /api/jobs/ID/shares`. Programs that do not know of files do not share them. */
export const createShareSchema = z.strictObject({
  expires_in_days: z.int().min(1).max(maxShareDays).default(7),
  output: output.default(true),
  metrics: metrics.default(true),
  files: files.default(false),
  source: source.default(false),
})

/** A link to a page that shows a job without signing in. */
export const jobShareSchema = z.object({
  id: z.uuid(),
  ...sharePartsSchema.shape,
  created_by: z.string().describe('user id'),
  created_at: z.string(),
  expires_at: z.string(),
})

export const createdShareSchema = jobShareSchema.extend({
  url: z.string().describe('only this response contains it'),
})

const { status, exit_code, created_at, started_at, completed_at, files_deleted } = jobDetailSchema.shape

/**
 * All that the holder of a link sees of a job, beside the parts that were chosen for the link. Nothing is here that
 * somebody else wrote: no names of nodes, no notes of admins, no limits of the project. It has no ids and no addresses.
 */
export const sharedFactsSchema = z.strictObject({
  name: z.string().nullable(),
  owner: z.string().describe("the user's name, or the user id of one without a name"),
  competition_id: z.string(),
  project_id: z.string(),
  environment: z.string(),
  status,
  reason_text: z.string().nullable().describe('why the job ended, without details'),
  exit_code,
  created_at,
  started_at,
  completed_at,
  files_deleted,
  gpus: z.array(z.strictObject({ model: z.string(), simulated: z.boolean(), share: z.number() })),
})

/** `GET /api/shared/TOKEN/artifacts`. Without the retention of the project. */
export const sharedArtifactsSchema = artifactListSchema.pick({ artifacts: true })

export type ShareParts = z.infer<typeof sharePartsSchema>
export type SharePart = keyof ShareParts
export type SharedFacts = z.infer<typeof sharedFactsSchema>
export type JobShare = z.infer<typeof jobShareSchema>
export type CreatedShare = z.infer<typeof createdShareSchema>
