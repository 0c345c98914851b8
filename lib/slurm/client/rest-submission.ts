import { gresOf, toMinutes } from './sbatch-arguments'
import type { SlurmSubmission } from './slurm-client'

/** The environment of the batch script. Slurm adds its own variables. */
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** The first version with limits as `{ set, number }`, and with lists of states. */
const changedIn = 39
/** The end of a batch script that must not run: it was started again, or as another account. */
const refusedExitCode = 75

/** The body of `job/submit` for a version of slurmrestd's interface, such as 38. */
export function submissionBody(submission: SlurmSubmission, version: number): unknown {
  return {
    script: guard(submission, version),
    job: { ...commonProperties(submission), ...propertiesOf(submission, version) },
  }
}

function commonProperties(submission: SlurmSubmission): Record<string, unknown> {
  const named = {
    account: submission.account,
    partition: submission.partition,
    qos: submission.qos,
    reservation: submission.reservation,
    dependency: submission.dependency,
  }
  return {
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null)),
    name: submission.name,
    comment: submission.comment,
    nice: submission.nice,
    requeue: submission.requeue,
    tasks_per_node: 1,
    cpus_per_task: submission.cpus,
    time_limit: toMinutes(submission.timeLimitS),
    current_working_directory: '/',
    standard_input: '/dev/null',
    standard_output: '/dev/null',
    memory_per_node: submission.memoryMib,
  }
}

function propertiesOf(submission: SlurmSubmission, version: number): Record<string, unknown> {
  const gres = gresOf(submission)
  const { nodes, graceS } = submission
  if (version < changedIn) {
    // Its `signal` refuses `B:`, which is the signal to the batch script.
    return { nodes, environment: { PATH: path }, ...(gres === null ? {} : { gres }) }
  }
  const warning = {
    kill_warning_flags: ['BATCH_JOB'],
    kill_warning_signal: 'TERM',
    kill_warning_delay: { set: true, number: graceS },
  }
  return {
    minimum_nodes: nodes,
    maximum_nodes: nodes,
    environment: [`PATH=${path}`],
    ...(graceS > 0 ? warning : {}),
    ...(gres === null ? {} : { tres_per_node: `gres/${gres}` }),
  }
}

/**
 * The script with checks at its begin, for what slurmrestd 22.05 does not ensure: it ignores `requeue: false`, and submits in the
 * name of the token's user if it does not know the account.
 */
function guard(submission: SlurmSubmission, version: number): string {
  const { script, requeue, unixUser } = submission
  const checks = [
    // The variable is unset at the first start.
    ...(requeue || version >= changedIn ? [] : ['[ -z "$SLURM_RESTART_COUNT" ]']),
    ...(unixUser === null ? [] : [`[ "$(id -un)" = '${unixUser}' ]`]),
  ]
  const [first = '', ...rest] = script.split('\n')
  return [first, ...checks.map((check) => `${check} || exit ${refusedExitCode}`), ...rest].join('\n')
}
