import type { KeyOffer } from './offered-keys'

const onlyInConfigs = { queue: false, agent: false, option: false } as const
const onlyInSubmit = { queue: false, agent: false } as const

/**
 * The keys that a way to submit a job does not offer, or offers in other words. A key that is not here is offered by the queue API, the tools
 * for agents and the command line as `schema.ts` declares it.
 */
export const offers = {
  competition_id: {
    ...onlyInSubmit,
    option: {
      flags: '--competition <id>',
      description: 'competition of the job (default: "default")',
      commands: ['submit'],
    },
  },
  phase: {
    ...onlyInSubmit,
    option: {
      flags: '--phase <key>',
      description: 'phase of the competition, if several are open',
      commands: ['submit'],
    },
  },
  rehearse: {
    ...onlyInSubmit,
    option: {
      flags: '--rehearse',
      description: 'try the entry on the sample data of the competition, without a score',
      commands: ['submit'],
    },
  },
  project_id: {
    agent: { description: 'the project of the job; default: "default"' },
    option: { flags: '--project <id>', description: 'project (default: "default")' },
  },
  user_id: onlyInConfigs,
  // The queue API calls it `estimated_duration_seconds`.
  expected_time: {
    queue: false,
    agent: { description: 'expected duration of the job in seconds; used for forecasts' },
    option: {
      flags: '--expected-time <time>',
      description: {
        submit: 'expected run time: 300, 90s, 10m, 2h (default: 1h)',
        run: 'expected run time: 300, 90s, 10m, 2h',
      },
      value: 'duration',
      needsDirectory: false,
    },
  },
  token: onlyInConfigs,
  name: {
    queue: { description: 'a name for lists; default: run_id' },
    agent: {
      description: 'a name that none of your waiting and running jobs has, such as "bert-finetuning-v1"',
    },
    option: { flags: '--name <name>', description: 'name shown in lists' },
  },
  environment: {
    agent: {
      description: 'the image of the job, one that ViewGPUCluster lists; default: the default environment',
    },
    option: { flags: '--environment <name>', description: 'container image to run in' },
  },
  // `--gpus` sets both. Agents choose a number with a meaning of its own.
  gpu_count: {
    queue: { description: 'default: 1, or the number that `--llm NAME` in the command needs' },
    agent: false,
    option: false,
  },
  gpu_fraction: { agent: false, option: false },
  gpu_memory_gb: {
    agent: { description: 'minimum memory of each GPU' },
    option: { flags: '--gpu-memory <gb>', description: 'minimum memory of each GPU in GB' },
  },
  gpu_model: {
    agent: false,
    option: { flags: '--gpu-model <name>', description: 'only GPUs whose model name contains this' },
  },
  instance_count: {
    agent: {
      description: 'number of machines that run the job together, 1 to 8. Up to 8 GPUs in total must use 1',
    },
    option: {
      flags: '--nodes <number>',
      description: 'number of nodes',
      commands: ['run'],
      needsDirectory: true,
    },
  },
  cpu: { ...onlyInSubmit, option: { flags: '--cpu <cores>', description: 'CPU cores' } },
  memory_gb: {
    ...onlyInSubmit,
    option: {
      flags: '--memory <gb>',
      description: { submit: 'memory in GB', run: 'memory in GB; half of it holds the files' },
    },
  },
  priority: {
    agent: { description: 'higher numbers start first; default: 0' },
    option: { flags: '--priority <number>', description: 'higher numbers start first' },
  },
  max_time: {
    queue: {
      description: 'time limit in seconds or with a unit, such as 2h, after which the job is stopped',
    },
    agent: { description: 'maximum duration in seconds; then the job is stopped' },
    option: {
      flags: '--max-time <time>',
      description: 'time limit',
      value: 'duration',
      commands: ['submit'],
    },
  },
  max_retries: {
    agent: false,
    option: { flags: '--retries <number>', description: 'retries after a system fault' },
  },
  retry_on: {
    agent: false,
    option: {
      flags: '--retry-on <end>',
      description: 'exit code, out_of_memory or timeout that deserves another attempt; repeatable',
      value: 'list',
    },
  },
  env: {
    agent: { description: 'environment variables for the job' },
    option: { flags: '-e, --env <name=value>', description: 'environment variable; repeatable' },
  },
  args: {
    ...onlyInSubmit,
    option: {
      flags: '--args <text>',
      description: 'arguments for the program, as one string',
      value: 'text',
      commands: ['submit'],
    },
  },
  cuda_argument: onlyInConfigs,
  command: {
    queue: {
      description: 'command for /bin/sh, or for the program of its first line, such as #!/bin/bash',
    },
    agent: {
      description:
        'the command for /bin/sh, with absolute paths: sh /workspace/train.sh --epochs 10. Begin it with the line #!/bin/bash for features of bash. It runs in a container, which has only the image of its environment, the shared directory of the project, the archive and the mounts',
    },
    option: {
      flags: '--command <text>',
      description: 'command to run in a copy of the directory, on each node',
      commands: ['run'],
    },
  },
  entrypoint: {
    ...onlyInSubmit,
    option: {
      flags: '--entrypoint <file>',
      description: 'file of the directory to run, such as src/train.py',
      commands: ['submit'],
    },
  },
  archive: {
    queue: {
      description:
        'a snapshot, such as code or code@3, or the hash of a directory that you uploaded to the project; the command starts in a copy of it, /work',
    },
    agent: {
      description:
        'a snapshot of the project, such as code or code@3, or the hash of an uploaded directory. The command starts in a copy of it, /work: python /work/train.py',
    },
    option: {
      flags: '--archive <snapshot>',
      description: 'snapshot in a copy of which the job starts, such as code@3',
    },
  },
  working_directory: {
    queue: {
      description:
        'the absolute path at which the command finds its directory and starts, instead of /work; files that it writes there are stored while it runs',
    },
    agent: {
      description:
        'the absolute path at which the command finds the archive and starts, instead of /work; files that it writes there are stored while it runs. `gpuq mcp` sets it and the archive for your working directory',
    },
    option: false,
  },
  mounts: {
    queue: {
      description: 'snapshots that the command can read, by their paths: `{"/data": "data/cifar10"}`',
    },
    agent: {
      description:
        'snapshots that the command can read, by their absolute paths: {"/data": "data/cifar10@1"}. Without a version, the newest one',
    },
    option: {
      flags: '--mount <path=snapshot>',
      description: 'snapshot that the job can read at this path; repeatable',
      value: 'mounts',
    },
  },
  host_script: onlyInConfigs,
  conda_prefix: onlyInConfigs,
  run_name: {
    ...onlyInSubmit,
    option: {
      flags: '--run-name <name>',
      description: 'name of the run, which keeps its checkpoints; one of its jobs is active at a time',
      commands: ['run'],
    },
  },
  fresh_nodes: {
    ...onlyInSubmit,
    option: { flags: '--fresh-nodes', description: 'start new nodes for this job only', commands: ['run'] },
  },
  provision_args: onlyInConfigs,
  tty: {
    agent: false,
    option: {
      flags: '-t, --tty',
      description: 'give the job a terminal and attach to it; see `gpuq attach --help`',
    },
  },
  max_assign_attempts: onlyInConfigs,
  assign_retry_wait: onlyInConfigs,
  allowed_gpus: {
    ...onlyInSubmit,
    option: {
      flags: '--allowed-gpus <numbers>',
      description: 'allowed GPUs, such as 0-3,5',
      value: 'text',
      commands: ['submit'],
    },
  },
  pool: {
    ...onlyInSubmit,
    option: { flags: '--pool <pool>', description: 'reserved, on-demand or best-effort' },
  },
  notify_url: onlyInConfigs,
  bucket: onlyInConfigs,
  depends_on: {
    agent: {
      description:
        'ids of jobs and groups that must complete before this job may start; with any: before an id it starts after any end, with failed: only if that one did not complete. If that can not happen any more, this job is cancelled',
    },
    option: {
      flags: '--depends-on <id>',
      description:
        'id of a job or group that must complete before this one starts; any:ID after any end, failed:ID after a failure; repeatable',
      value: 'list',
    },
  },
  tags: {
    ...onlyInSubmit,
    option: {
      flags: '--tag <word>',
      description: 'tag; repeatable',
      value: 'list',
      commands: ['submit'],
    },
  },
  parent: {
    option: { flags: '--parent <id>', description: 'id of the job or group that this experiment follows' },
  },
  hypothesis: {
    option: {
      flags: '--hypothesis <sentence>',
      description: 'what this experiment shall find out',
      value: 'text',
    },
  },
  note: { option: { flags: '--note <text>', description: 'text for people', value: 'text' } },
} as const satisfies Readonly<Record<string, KeyOffer>>
