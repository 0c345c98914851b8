import type { Command } from 'commander'
import { jsonFlag, lazily } from '../declare/command'
import { addText, parseDays, parseDuration, parseInteger, parseNumber } from '../declare/values'

const aboutApprovals = `
GPU HOURS: the most that it can cost. EXPIRES: when it is refused, unless somebody approves it before. Approve with gpuq approve ID,
refuse with gpuq refuse ID. Admins decide about those of all users, with a token that has the scope admin.`

/** Commands with which a person limits, approves and stops what agents submit. */
export function declareAgentTokens(program: Command): void {
  const tokens = program.commands.find((command) => command.name() === 'tokens')
  tokens
    ?.command('agent')
    .description('create a token for an agent: it submits jobs within limits, and reads and stops only those')
    .argument('<name>', 'a name that says which agent has it')
    .option('--gpu-hours <hours>', 'GPU hours of its jobs in all', parseNumber)
    .option('--gpu-hours-per-day <hours>', 'GPU hours of its jobs on each day', parseNumber)
    .option('--max-gpus <number>', 'GPUs that its running jobs hold at once', parseNumber)
    .option('--project <id>', 'the only project that it may use; repeatable', addText)
    .option('--environment <name>', 'the only environment that its jobs may use; repeatable', addText)
    .option('--max-priority <number>', 'highest priority of its jobs', parseInteger)
    .option('--max-time <time>', 'longest time limit of its jobs, such as 2h', parseDuration)
    .option(
      '--ask-above <hours>',
      'you must approve a job or a group that may cost more GPU hours than this',
      parseNumber,
    )
    .option('--expires <days>', 'days until it expires, or "never" (default: 90)', parseDays)
    .option(...jsonFlag)
    .action(lazily(async () => (await import('./agent-tokens')).createAgentToken))
  tokens
    ?.command('stop')
    .description('revoke a token, and cancel all jobs and groups that were submitted with it')
    .argument('<id>', 'id of the token, or the start of it')
    .option(...jsonFlag)
    .action(lazily(async () => (await import('./agent-tokens')).stopToken))
  program
    .command('approvals')
    .description('list the jobs and groups of your agents that wait until you approve them')
    .option('--all', 'those of the agents of all users (admins only)')
    .option(...jsonFlag)
    .addHelpText('after', aboutApprovals)
    .action(lazily(async () => (await import('./agent-tokens')).listApprovals))
  const decisions = {
    approve: 'let a job or a group of an agent start',
    refuse: 'refuse a job or a group of an agent',
  }
  for (const decision of ['approve', 'refuse'] as const)
    program
      .command(decision)
      .description(decisions[decision])
      .argument('<id>', 'id of the job or the group, or the start of it')
      .action(lazily(async () => (await import('./agent-tokens'))[decision]))
}
