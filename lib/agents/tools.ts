import type { z } from 'zod'
import { parseInput } from '../contract/parse-input'
import type { Scope } from '../contract/roles'
import { createJob, listOwnJobs, readJobLog, stopJob, type ToolCall, viewJob } from './job-tools'
import {
  agentClusterSchema,
  agentJobSchema,
  createdJobSchema,
  createJobSchema,
  jobIdSchema,
  listedJobsSchema,
  listJobsSchema,
  logPartSchema,
  nothingSchema,
  readLogSchema,
} from './tool-schemas'
import { viewCluster } from './view-cluster'

/** One tool as agents see it, and what it does. */
interface Tool {
  name: string
  title: string
  description: string
  /** What the token must be allowed to. */
  scope: Scope
  input: z.ZodObject
  output: z.ZodObject
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean }
  /** Checks the input against its schema: throws a 422 that names every mistake. */
  perform: (call: ToolCall, input: unknown) => Promise<Record<string, unknown>>
}

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }

function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  declared: Omit<Tool, 'input' | 'output' | 'perform'> & {
    input: Input
    output: Output
    perform: (call: ToolCall, input: z.output<Input>) => Promise<z.output<Output>>
  },
): Tool {
  return {
    ...declared,
    perform: async (call, input) => declared.perform(call, parseInput(declared.input, input)),
  }
}

/** The tools that agents have. */
export const tools: readonly Tool[] = [
  tool({
    name: 'CreateGPUJob',
    title: 'Create a GPU job',
    description: `Queues a command on the GPU cluster and returns its job_id at once; it does not wait for the job.
The machine you are on is not one of the cluster: run whatever needs a GPU as a job, and do not look for GPUs here.
- An instance has at most 8 GPUs. Ask for 1, 2, 4 or 8 on one instance; for more than 8 in all, set instance_count, and each instance gets 8.
- Put the work into a script and run that: sh /absolute/path/train.sh. In the command and in the script every path must be absolute: the job starts on another machine. What the script needs must lie where the cluster sees it, such as the project's shared directory.
- Let the script print its progress: ReadGPUJobLog reads it while the job runs. Save checkpoints and results to the shared directory, or to /results.
Then follow it with ViewGPUJob, and end it early with StopGPUJob.`,
    scope: 'submit',
    input: createJobSchema,
    output: createdJobSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    perform: createJob,
  }),
  tool({
    name: 'ViewGPUJob',
    title: 'View a GPU job',
    description:
      'Says where one of your jobs is: queued (with its place and expected start), scheduled, running, completed, failed or cancelled, why, and on which GPUs. Look again every few seconds at most.',
    scope: 'read',
    input: jobIdSchema,
    output: agentJobSchema,
    annotations: reads,
    perform: (call, { job_id }) => viewJob(call, job_id),
  }),
  tool({
    name: 'StopGPUJob',
    title: 'Stop a GPU job',
    description:
      'Stops one of your jobs, whether it waits or runs. A running one gets SIGTERM and ten seconds; what it has printed stays readable. Stopping a stopped job changes nothing.',
    scope: 'submit',
    input: jobIdSchema,
    output: agentJobSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    perform: (call, { job_id }) => stopJob(call, job_id),
  }),
  tool({
    name: 'ListGPUJobs',
    title: 'List GPU jobs',
    description: 'Lists your jobs, newest first.',
    scope: 'read',
    input: listJobsSchema,
    output: listedJobsSchema,
    annotations: reads,
    perform: listOwnJobs,
  }),
  tool({
    name: 'ReadGPUJobLog',
    title: "Read a GPU job's log",
    description:
      'Reads what one of your jobs printed, from a byte on, while it runs and after. Pass next_offset and attempt of each answer to the next call: nothing is lost or read twice. Done once ended is true.',
    scope: 'read',
    input: readLogSchema,
    output: logPartSchema,
    annotations: reads,
    perform: readJobLog,
  }),
  tool({
    name: 'ViewGPUCluster',
    title: 'View the GPU cluster',
    description:
      'Says which GPUs there are, how much memory they have, how many are free, how many jobs wait, and which environments a job may name.',
    scope: 'read',
    input: nothingSchema,
    output: agentClusterSchema,
    annotations: reads,
    perform: viewCluster,
  }),
]
