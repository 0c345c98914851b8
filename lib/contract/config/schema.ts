import * as z from 'zod'
import { archiveReferenceSchema } from '../archives/snapshot-name'
import { idSchema } from '../jobs'
import { dependsOn } from './depends-on'
import { mounts } from './mounts'
import { pools } from './pools'
import { provisionArgs } from './provision-args'
import { rankVariables } from './reserved-variables'
import {
  allowedGpus,
  amount,
  args,
  bucketName,
  count,
  duration,
  entrypoint,
  gpuFraction,
  hostPath,
  label,
  note,
  notifyUrl,
  retryOn,
  shellCommand,
  tags,
  token,
  variables,
} from './values'
import { workingDirectory } from './working-directory'

/**
 * A key with its description and an example, for the API's document, the form and error messages. The queue API, the tools for agents and the
 * command line offer it too; `offers.ts` has the exceptions.
 */
export const key = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: unknown,
): Schema => schema.meta({ description, example })

const flag = z.boolean().default(false)

const followedId = z
  .string()
  .trim()
  .toLowerCase()
  .refine((text) => z.uuid().safeParse(text).success, 'must be the id of a job or a group')

const keys = z.strictObject({
  competition_id: key(idSchema, 'the competition or task that the job belongs to', 'my-competition'),
  phase: key(
    label(32).optional(),
    'the phase of the competition that the entry is for; needed only if several are open',
    'main',
  ),
  rehearse: key(
    z.boolean().optional(),
    'true: tries the entry on the sample data of the competition, with its output, without a score',
    true,
  ),
  project_id: key(idSchema, 'the project of the job; gpuq creates it if it does not exist', 'my-project'),
  user_id: key(
    idSchema.optional(),
    'the user who submits; optional if the token identifies the user',
    'your_user_id',
  ),
  expected_time: key(
    duration,
    'expected duration of the job, in seconds or with a unit, such as 5m or 2h',
    300,
  ),
  token: key(token.optional(), 'your access token, unless the request header has it', 'your-token'),
  name: key(label(200).optional(), 'a name for lists', 'baseline'),
  environment: key(
    idSchema.optional(),
    'the environment (image) of the job; default: the default environment',
    'python',
  ),
  gpu_count: key(count(0, 8).default(1), 'number of GPUs', 1),
  gpu_fraction: key(gpuFraction.optional(), 'part of one GPU, with at most three decimals', 0.5),
  gpu_memory_gb: key(amount(0.1, 1024).optional(), 'minimum memory of each GPU, in GB', 16),
  gpu_model: key(label(100).optional(), 'text that the model name of the GPUs must contain', 'H100'),
  instance_count: key(count(1, 8).default(1), 'number of nodes that run the job together', 1),
  cpu: key(amount(0.1, 1024).optional(), 'CPU cores; default: a share per GPU of the node', 4),
  memory_gb: key(amount(0.1, 16_384).optional(), 'memory in GB; default: a share per GPU of the node', 16),
  priority: key(count(-100, 100).default(0), 'jobs with a higher number start first', 0),
  max_time: key(
    duration.optional(),
    'time limit in seconds or with a unit, such as 2h, after which the job is stopped; default: derived from expected_time',
    900,
  ),
  max_retries: key(
    count(0, 10).default(2),
    'maximum number of retries after system faults and the failures that retry_on names',
    2,
  ),
  retry_on: key(
    retryOn.default([]),
    'failures of the program that deserve another attempt: exit codes, out_of_memory and timeout',
    [75, 'out_of_memory'],
  ),
  env: key(variables.default({}), 'environment variables of the job', { SEED: '1' }),
  args: key(args.default([]), 'arguments of the program, as a list or one text', ['--epochs', '10']),
  cuda_argument: key(
    flag,
    'true: sets --cuda in the arguments of the program to the allocated GPUs, numbered from 0',
    true,
  ),
  command: key(
    shellCommand.optional(),
    'a shell command to run instead of solution.py, by /bin/sh or by the program of its first line (#!/bin/bash); the upload must not have a part code',
    'bash setup.sh && python train.py',
  ),
  entrypoint: key(
    entrypoint.optional(),
    'the file of the uploaded directory to run: .py with python, .sh with the program of its first line (#!) or sh; default: solution.py, then main.py, then run.sh',
    'src/train.py',
  ),
  archive: key(
    archiveReferenceSchema.optional(),
    'a snapshot, such as code or code@3, or the hash of a directory that you uploaded to the project; the job finds it in /work',
    'code@3',
  ),
  working_directory: key(
    workingDirectory.optional(),
    'the absolute path at which the job finds its directory, instead of /work; files that it writes there are stored while it runs',
    '/workspace/project',
  ),
  mounts: key(
    mounts.default({}),
    'snapshots that the job can read, each at a path of its own; without a version, the newest one at the submission',
    { '/data': 'data/cifar10' },
  ),
  host_script: key(
    hostPath.optional(),
    'a Python program on this machine, which the job runs in its own directory; only for the user of `gpuq start`',
    '/home/ada/project/train.py',
  ),
  conda_prefix: key(
    hostPath.optional(),
    'directory of a conda environment of this machine, with which host_script runs',
    '/home/ada/miniconda3/envs/torch',
  ),
  run_name: key(
    idSchema.optional(),
    'name of a run of yours in the project; it has one active job at a time, and its checkpoints are kept',
    'base-2',
  ),
  fresh_nodes: key(flag, 'true: the job runs on nodes that are started only for it', true),
  provision_args: key(
    provisionArgs.optional(),
    "options for the admin's command that starts these nodes; the admin decides which ones are allowed",
    ['--network=research'],
  ),
  tty: key(flag, 'true: the job has a terminal to which users can attach', true),
  max_assign_attempts: key(
    count(1, 100).optional(),
    'the job fails after this number of attempts to place and start it; default: it waits without limit',
    5,
  ),
  assign_retry_wait: key(
    amount(0.1, 3600).optional(),
    'seconds before the second of these attempts; doubles before each later one',
    5,
  ),
  allowed_gpus: key(allowedGpus.optional(), 'numbers of the GPUs that the job may use', '0-3,5'),
  pool: key(z.enum(pools).default('on-demand'), 'pool of nodes that the job may use', 'reserved'),
  notify_url: key(
    notifyUrl.optional(),
    'address that receives a request when the job ends',
    'https://example.org/done',
  ),
  bucket: key(
    bucketName.optional(),
    "the name of the project's bucket, which receives the results and the log; a check only, because an admin assigns it",
    'research-results',
  ),
  depends_on: key(
    dependsOn.default([]),
    'jobs and groups that must end before this job may start, by their ids, each alone or with a condition as {id: ID, when: any} or any:ID. ok (default): it completed; any: it ended; failed: it did not complete. If a condition can not be met any more, this job is cancelled',
    ['01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61', 'any:01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e62'],
  ),
  tags: key(tags.default([]), 'words to find the job by', ['baseline']),
  parent: key(
    followedId.optional(),
    'the job or group of yours in the same project that this experiment follows, by its id',
    '01998f6e-2d4a-7c31-9b0e-5f2a8c4d7e61',
  ),
  hypothesis: key(
    label(500).optional(),
    'what this experiment shall find out, in a sentence',
    'A longer warm-up lowers the final loss.',
  ),
  note: key(note.optional(), 'text for people; they can change it later', 'Baseline of the paper.'),
})

/** Refuses keys that exclude each other, also in requests that have only some of the keys. */
export function refuseCombinations(
  config: Partial<z.output<typeof keys>>,
  context: { addIssue(issue: { code: 'custom'; path: PropertyKey[]; message: string }): void },
): void {
  const { gpu_count = 1, instance_count = 1, args = [], env = {}, allowed_gpus = [] } = config
  const refuse = (path: string | string[], message: string) =>
    context.addIssue({ code: 'custom', path: [path].flat(), message })
  if (config.gpu_fraction !== undefined && gpu_count !== 1) {
    refuse('gpu_fraction', 'is a part of one GPU: remove gpu_count or gpu_fraction')
  }
  if (config.command !== undefined) {
    if (config.entrypoint !== undefined) {
      refuse('entrypoint', 'is a program, but the job runs a command: remove one of the two keys')
    }
    if (args.length > 0) refuse('args', 'are only for solution.py: write them into the command')
    if (config.cuda_argument) {
      refuse('cuda_argument', 'changes the arguments of solution.py: remove it from a job with a command')
    }
  }
  if (config.conda_prefix !== undefined && config.host_script === undefined) {
    refuse('conda_prefix', 'is only for host_script: add host_script, or use the key environment')
  }
  if (config.host_script !== undefined) {
    for (const other of ['command', 'archive', 'entrypoint', 'working_directory'] as const) {
      if (config[other] !== undefined)
        refuse('host_script', `runs in its own directory: remove it, or remove ${other}`)
    }
  }
  if (config.provision_args !== undefined && !config.fresh_nodes) {
    refuse(
      'provision_args',
      'are for nodes that are started for the job: add fresh_nodes: true, or remove them',
    )
  }
  if (allowed_gpus.length > 0 && allowed_gpus.length < gpu_count) {
    refuse('allowed_gpus', `has fewer GPUs than gpu_count requires (${gpu_count})`)
  }
  if (instance_count > 1) {
    for (const name of rankVariables.filter((known) => Object.hasOwn(env, known))) {
      refuse(['env', name], 'gpuq sets this variable for jobs with several instances: remove it')
    }
  }
}

/** The keys of `config.yaml`. */
export const configSchema = keys.superRefine(refuseCombinations)

export type ConfigKey = keyof typeof configSchema.shape
export const configKeys = Object.keys(configSchema.shape) as ConfigKey[]

export type ParsedConfig = z.infer<typeof configSchema>

export type ConfigField = ReturnType<typeof configField>

/** Description and example of a key, and whether a config must have it. */
export function configField(key: ConfigKey) {
  const schema = configSchema.shape[key]
  const { description = '', example } = schema.meta() ?? {}
  return { description, required: !schema.safeParse(undefined).success, example }
}

export function isConfigKey(key: string): key is ConfigKey {
  return Object.hasOwn(configSchema.shape, key)
}
