/** An option of `gpuq submit` and `gpuq run` that sets a key of the config. */
export interface ConfigOption {
  flags: string
  value: 'text' | 'number' | 'integer' | 'duration' | 'flag' | 'list' | 'variables' | 'mounts'
  /** What the help of the command says; left out: the command does not have it. */
  submit?: string
  run?: string
  /** `gpuq run` has it only with a directory. */
  needsDirectory: boolean
}

/**
 * The options by their keys. `npm run docs` writes this file from lib/contract/config: the command line loads it instead of the schema, which
 * needs zod.
 */
export const configOptions: Readonly<Record<string, ConfigOption>> = {
  competition_id: {
    flags: '--competition <id>',
    value: 'text',
    submit: 'competition of the job (default: "default")',
    needsDirectory: true,
  },
  phase: {
    flags: '--phase <key>',
    value: 'text',
    submit: 'phase of the competition, if several are open',
    needsDirectory: true,
  },
  rehearse: {
    flags: '--rehearse',
    value: 'flag',
    submit: 'try the entry on the sample data of the competition, without a score',
    needsDirectory: true,
  },
  project_id: {
    flags: '--project <id>',
    value: 'text',
    submit: 'project (default: "default")',
    run: 'project (default: "default")',
    needsDirectory: false,
  },
  expected_time: {
    flags: '--expected-time <time>',
    value: 'duration',
    submit: 'expected run time: 300, 90s, 10m, 2h (default: 1h)',
    run: 'expected run time: 300, 90s, 10m, 2h',
    needsDirectory: false,
  },
  name: {
    flags: '--name <name>',
    value: 'text',
    submit: 'name shown in lists',
    run: 'name shown in lists',
    needsDirectory: false,
  },
  environment: {
    flags: '--environment <name>',
    value: 'text',
    submit: 'container image to run in',
    run: 'container image to run in',
    needsDirectory: false,
  },
  gpu_memory_gb: {
    flags: '--gpu-memory <gb>',
    value: 'number',
    submit: 'minimum memory of each GPU in GB',
    run: 'minimum memory of each GPU in GB',
    needsDirectory: false,
  },
  gpu_model: {
    flags: '--gpu-model <name>',
    value: 'text',
    submit: 'only GPUs whose model name contains this',
    run: 'only GPUs whose model name contains this',
    needsDirectory: false,
  },
  instance_count: {
    flags: '--nodes <number>',
    value: 'integer',
    run: 'number of nodes',
    needsDirectory: true,
  },
  cpu: {
    flags: '--cpu <cores>',
    value: 'number',
    submit: 'CPU cores',
    run: 'CPU cores',
    needsDirectory: true,
  },
  memory_gb: {
    flags: '--memory <gb>',
    value: 'number',
    submit: 'memory in GB',
    run: 'memory in GB; half of it holds the files',
    needsDirectory: true,
  },
  priority: {
    flags: '--priority <number>',
    value: 'integer',
    submit: 'higher numbers start first',
    run: 'higher numbers start first',
    needsDirectory: false,
  },
  max_time: {
    flags: '--max-time <time>',
    value: 'duration',
    submit: 'time limit',
    needsDirectory: false,
  },
  max_retries: {
    flags: '--retries <number>',
    value: 'integer',
    submit: 'retries after a system fault',
    run: 'retries after a system fault',
    needsDirectory: false,
  },
  retry_on: {
    flags: '--retry-on <end>',
    value: 'list',
    submit: 'exit code, out_of_memory or timeout that deserves another attempt; repeatable',
    run: 'exit code, out_of_memory or timeout that deserves another attempt; repeatable',
    needsDirectory: false,
  },
  env: {
    flags: '-e, --env <name=value>',
    value: 'variables',
    submit: 'environment variable; repeatable',
    run: 'environment variable; repeatable',
    needsDirectory: false,
  },
  args: {
    flags: '--args <text>',
    value: 'text',
    submit: 'arguments for the program, as one string',
    needsDirectory: true,
  },
  command: {
    flags: '--command <text>',
    value: 'text',
    run: 'command to run in a copy of the directory, on each node',
    needsDirectory: false,
  },
  entrypoint: {
    flags: '--entrypoint <file>',
    value: 'text',
    submit: 'file of the directory to run, such as src/train.py',
    needsDirectory: true,
  },
  archive: {
    flags: '--archive <snapshot>',
    value: 'text',
    submit: 'snapshot in a copy of which the job starts, such as code@3',
    run: 'snapshot in a copy of which the job starts, such as code@3',
    needsDirectory: false,
  },
  mounts: {
    flags: '--mount <path=snapshot>',
    value: 'mounts',
    submit: 'snapshot that the job can read at this path; repeatable',
    run: 'snapshot that the job can read at this path; repeatable',
    needsDirectory: false,
  },
  run_name: {
    flags: '--run-name <name>',
    value: 'text',
    run: 'name of the run, which keeps its checkpoints; one of its jobs is active at a time',
    needsDirectory: true,
  },
  fresh_nodes: {
    flags: '--fresh-nodes',
    value: 'flag',
    run: 'start new nodes for this job only',
    needsDirectory: true,
  },
  tty: {
    flags: '-t, --tty',
    value: 'flag',
    submit: 'give the job a terminal and attach to it; see `gpuq attach --help`',
    run: 'give the job a terminal and attach to it; see `gpuq attach --help`',
    needsDirectory: false,
  },
  allowed_gpus: {
    flags: '--allowed-gpus <numbers>',
    value: 'text',
    submit: 'allowed GPUs, such as 0-3,5',
    needsDirectory: true,
  },
  pool: {
    flags: '--pool <pool>',
    value: 'text',
    submit: 'reserved, on-demand or best-effort',
    run: 'reserved, on-demand or best-effort',
    needsDirectory: true,
  },
  depends_on: {
    flags: '--depends-on <id>',
    value: 'list',
    submit:
      'id of a job or group that must complete before this one starts; any:ID after any end, failed:ID after a failure; repeatable',
    run: 'id of a job or group that must complete before this one starts; any:ID after any end, failed:ID after a failure; repeatable',
    needsDirectory: false,
  },
  tags: {
    flags: '--tag <word>',
    value: 'list',
    submit: 'tag; repeatable',
    needsDirectory: true,
  },
  parent: {
    flags: '--parent <id>',
    value: 'text',
    submit: 'id of the job or group that this experiment follows',
    run: 'id of the job or group that this experiment follows',
    needsDirectory: false,
  },
  hypothesis: {
    flags: '--hypothesis <sentence>',
    value: 'text',
    submit: 'what this experiment shall find out',
    run: 'what this experiment shall find out',
    needsDirectory: false,
  },
  note: {
    flags: '--note <text>',
    value: 'text',
    submit: 'text for people',
    run: 'text for people',
    needsDirectory: false,
  },
}
