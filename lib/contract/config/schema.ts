import { z } from 'zod'
import { idSchema } from '../jobs'
import { rankVariables } from './reserved-variables'
import {
  allowedGpus,
  amount,
  args,
  count,
  gpuFraction,
  label,
  notifyUrl,
  seconds,
  sha256,
  shellCommand,
  token,
  variables,
} from './values'

export const pools = ['reserved', 'on-demand', 'best-effort'] as const
export type Pool = (typeof pools)[number]

/** What `config.yaml` may hold, and what people need to know about it: for the parser, the API's document and the form. */
export const configSchema = z
  .strictObject({
    competition_id: idSchema.meta({ description: 'what the job is for', example: 'my-competition' }),
    project_id: idSchema.meta({
      description: 'the project it belongs to; made for you if it does not exist',
      example: 'my-project',
    }),
    user_id: idSchema
      .optional()
      .meta({ description: 'who submits; may be left out when the token says it', example: 'your_user_id' }),
    expected_time: seconds.meta({ description: 'how long the job will run, in seconds', example: 300 }),
    token: token
      .optional()
      .meta({ description: 'your access token, unless the request carries it', example: 'your-token' }),
    name: label(200).optional().meta({ description: 'a name for lists', example: 'baseline' }),
    environment: idSchema.optional().meta({
      description: 'the image the job runs in; the default environment if left out',
      example: 'python',
    }),
    gpu_count: count(0, 8).default(1).meta({ description: 'how many GPUs', example: 1 }),
    gpu_fraction: gpuFraction
      .optional()
      .meta({ description: 'a part of one GPU, in thousandths', example: 0.5 }),
    gpu_memory_gb: amount(0.1, 1024)
      .optional()
      .meta({ description: 'memory each GPU must have', example: 16 }),
    gpu_model: label(100).optional().meta({
      description: "only GPUs whose model's name holds this",
      example: 'H100',
    }),
    instance_count: count(1, 8)
      .default(1)
      .meta({ description: 'on how many nodes the job runs at once', example: 1 }),
    cpu: amount(0.1, 1024)
      .optional()
      .meta({ description: "CPU cores; the node's share per GPU if left out", example: 4 }),
    memory_gb: amount(0.1, 16_384)
      .optional()
      .meta({ description: "memory; the node's share per GPU if left out", example: 16 }),
    priority: count(-100, 100).default(0).meta({ description: 'a higher number goes first', example: 0 }),
    max_time: seconds.optional().meta({
      description: 'when the job is stopped, in seconds; from expected_time if left out',
      example: 900,
    }),
    max_retries: count(0, 10)
      .default(2)
      .meta({ description: 'how often the job is tried again after a fault of the system', example: 2 }),
    env: variables
      .default({})
      .meta({ description: 'environment variables for the job', example: { SEED: '1' } }),
    args: args
      .default([])
      .meta({ description: 'arguments for solution.py: a list, or one text', example: ['--epochs', '10'] }),
    cuda_argument: z.boolean().default(false).meta({
      description:
        'true: --cuda in the arguments of solution.py is set to the GPUs given, which the container counts from 0',
      example: true,
    }),
    command: shellCommand.optional().meta({
      description: 'what a shell runs, in place of solution.py: the upload then has no part code',
      example: 'bash setup.sh && python train.py',
    }),
    archive: sha256.optional().meta({
      description: 'hash of a directory that was shipped to the project before: the job finds it in /work',
      example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    }),
    run_name: idSchema.optional().meta({
      description: 'a name that one live job of the project has at a time; its checkpoints are kept by it',
      example: 'base-2',
    }),
    fresh_nodes: z.boolean().default(false).meta({
      description: 'true: the job runs on nodes that are brought up for it alone, and taken down after it',
      example: true,
    }),
    tty: z
      .boolean()
      .default(false)
      .meta({ description: 'true: the job gets a terminal, to which people can attach', example: true }),
    max_assign_attempts: count(1, 100).optional().meta({
      description:
        'fails after so many attempts to give it a place: no node is large enough, or its container does not start; waits for ever if left out',
      example: 5,
    }),
    assign_retry_wait: amount(0.1, 3600).optional().meta({
      description: 'seconds before the second of those attempts; doubled before each later one',
      example: 5,
    }),
    allowed_gpus: allowedGpus
      .optional()
      .meta({ description: 'numbers of the only GPUs the job may use', example: '0-3,5' }),
    pool: z
      .enum(pools)
      .default('on-demand')
      .meta({ description: 'which part of the cluster the job may use', example: 'reserved' }),
    notify_url: notifyUrl.optional().meta({
      description: 'an address that is told when the job ends',
      example: 'https://example.org/done',
    }),
    tags: z
      .array(label(64))
      .max(20, 'must have at most 20 entries')
      .default([])
      .meta({ description: 'words to find the job by', example: ['baseline'] }),
  })
  .superRefine((config, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message })
    if (config.gpu_fraction !== undefined && config.gpu_count !== 1) {
      refuse('gpu_fraction', 'is a part of one GPU: leave out gpu_count or gpu_fraction')
    }
    if (config.command !== undefined) {
      if (config.args.length > 0) refuse('args', 'are for solution.py: write them into the command')
      if (config.cuda_argument) {
        refuse('cuda_argument', 'changes the arguments of solution.py: leave it out with a command')
      }
    }
    const allowed = config.allowed_gpus?.length ?? 0
    if (allowed > 0 && allowed < config.gpu_count) {
      refuse('allowed_gpus', `names fewer GPUs than gpu_count asks for (${config.gpu_count})`)
    }
    if (config.instance_count > 1) {
      for (const name of rankVariables.filter((known) => Object.hasOwn(config.env, known))) {
        const message = 'gpuq itself sets it for a job of several instances: leave it out'
        context.addIssue({ code: 'custom', path: ['env', name], message })
      }
    }
  })

export type ConfigKey = keyof typeof configSchema.shape
export const configKeys = Object.keys(configSchema.shape) as ConfigKey[]

export type ParsedConfig = z.infer<typeof configSchema>

export interface ConfigField {
  description: string
  required: boolean
  example: unknown
}

/** What people need to know about a key. */
export function configField(key: ConfigKey): ConfigField {
  const schema = configSchema.shape[key]
  const { description = '', example } = schema.meta() ?? {}
  return { description, required: !schema.safeParse(undefined).success, example }
}

export function isConfigKey(key: string): key is ConfigKey {
  return Object.hasOwn(configSchema.shape, key)
}
