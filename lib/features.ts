/** An optional part of gpuq: a job runs without it, which a test tries (deploy/checks/features). */
export interface Feature {
  /** What it gives to users. */
  about: string
  /** The other features that it may import. */
  uses?: readonly string[]
}

/**
 * The features that have one name, and one folder of that name in lib, components, worker and cli each. The kernel imports none of them, and
 * each imports of the others only those that it names (.dependency-cruiser.cjs). Only pages and the files that register features import all.
 */
export const features = {
  accounting: { about: 'GPU hours of users and projects, as a page and as CSV.' },
  'agent-tokens': {
    about: 'What a person decides about the jobs of agents: approval, and the stop of a token with its jobs.',
    uses: ['groups'],
  },
  agents: {
    about: 'Tools for agents by MCP, from the server and from the command line.',
    uses: ['budgets', 'groups', 'metrics', 'working-files'],
  },
  announcements: { about: 'A message of an admin to every user.' },
  artifacts: {
    about: 'The files that jobs write to /results: kept, shown in pages, and shared by links.',
  },
  backup: { about: 'A backup of the database and the stored files in one file, and its restoration.' },
  budgets: { about: 'GPU hours that the jobs of a user, a project, a token or a group may use in a period.' },
  buckets: { about: 'S3 buckets of projects, which receive copies of the results of jobs.' },
  checkpoints: {
    about: 'The files with which a named run continues after an interruption, on a disk or in the bucket.',
  },
  comparison: {
    about: 'Several jobs beside each other: configs, programs, directories and metrics.',
    uses: ['metrics', 'snapshots'],
  },
  competitions: {
    about: 'Competitions and assignments: hidden data, scoring in containers of its own, and leaderboards.',
    uses: ['artifacts', 'snapshots'],
  },
  docs: { about: 'The documentation and the reference of the API, on the server, with a search.' },
  experiments: {
    about: 'Which job or group follows which, with the hypothesis of each: a tree of experiments.',
    uses: ['groups'],
  },
  groups: {
    about: 'Many jobs of one program that differ in their parameters: sweeps and arrays.',
    uses: ['artifacts', 'budgets', 'metrics'],
  },
  'host-files': { about: 'Jobs of `gpuq start` that run a script of this machine in its own directory.' },
  'join-links': { about: 'Links with which people join a project, also with a new account.' },
  metrics: {
    about: 'Curves of the numbers that a job prints in lines of JSON, and the groups of jobs by them.',
  },
  'node-checks': { about: 'Checks of the engine, the disks and the GPUs of each node, and what to do.' },
  notifications: { about: 'Messages by mail, webhook, chat and browser when jobs start and end.' },
  'one-machine': { about: 'The queue of one machine from a file of scripts, by `gpuq start`.' },
  participants: {
    about: 'The members of a class: their jobs, results and tokens.',
    uses: ['accounting', 'metrics', 'people'],
  },
  people: { about: 'Many users at once: import from CSV, tokens as ready configs.', uses: ['notifications'] },
  'project-boards': {
    about: 'The members of a project, by the best value of a metric that their jobs report.',
    uses: ['metrics', 'project-results'],
  },
  'project-results': {
    about: 'The last metrics of the jobs of a project, in groups.',
    uses: ['artifacts', 'metrics', 'shares'],
  },
  provisioning: { about: 'Nodes that are started for one job and removed after it.' },
  shares: {
    about: 'Read-only links to a job for people without an account.',
    uses: ['artifacts', 'metrics'],
  },
  slurm: { about: 'An existing Slurm cluster as the engine: it decides where and when jobs run.' },
  snapshots: { about: 'Named versions of uploaded directories, which jobs mount or start in.' },
  terminal: { about: 'A terminal for a running job, in the browser and with `gpuq attach`.' },
  views: { about: 'Searches of jobs that users save under a name.' },
  warm: { about: 'Containers that start before their job is known.', uses: ['artifacts'] },
  'working-files': {
    about: 'The files that jobs change in their working directory: kept, and brought back by `gpuq sync`.',
  },
  workspaces: { about: 'The shared directory of a project, in which its jobs start.' },
} satisfies Record<string, Feature>
