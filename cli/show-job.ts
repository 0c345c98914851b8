import type { Client } from '@/lib/http/client'
import { ProblemError } from '@/lib/http/client-problem'
import type { JobDetail } from '@/lib/jobs/schemas'
import { isFinal } from '@/lib/jobs/status'
import type { Context } from './context'
import { exitCodeOf, exitCodes } from './exit-code'
import { followJob } from './follow-job'
import { statusColours } from './say'
import { paint, withoutControls } from './terminal'

export interface Showing {
  /** Says nothing about the job, only what it prints. */
  quiet?: boolean | undefined
  /** Stops where the output has come so far, as of a job that still runs. */
  onlySoFar?: boolean
}

/**
 * Writes what a job prints as it prints it, each stream to its own, and what happens to it to stderr. Resolves with the
 * job's own exit code once it has ended.
 */
export async function showJob(
  context: Context,
  client: Client,
  jobId: string,
  { quiet = false, onlySoFar = false }: Showing,
): Promise<number> {
  const { terminal } = context
  const signal = context.interrupted()
  const say = (text: string) => (quiet ? Promise.resolve() : note(context, text))
  let last: JobDetail | null = null
  let said = ''
  for await (const happening of followJob({ client, jobId, sleep: context.sleep, signal })) {
    if (happening.kind === 'output') {
      for (const { stream, text } of happening.printed) {
        await (stream === 'stdout' ? terminal.out(text) : terminal.err(text))
      }
    } else if (happening.kind === 'again') {
      await say('The job is tried again. What follows is its next attempt.')
    } else if (happening.kind === 'job') {
      last = happening.job
      if (onlySoFar) return exitCodes.ok
      const news = sayState(last, context)
      if (news !== said) await say(news)
      said = news
    }
  }
  if (last !== null && isFinal(last.status)) return exitCodeOf(last)
  if (signal.aborted) {
    await say(
      `The job goes on. Follow it with \`gpuq logs -f ${jobId}\`, or stop it with \`gpuq cancel ${jobId}\`.`,
    )
    return exitCodes.cancelled
  }
  throw new ProblemError({
    status: 0,
    code: 'unexpected',
    detail: 'The job ended, and its end was not told.',
  })
}

/** A line of our own, told apart from what the job prints. */
export async function note({ terminal }: Context, text: string): Promise<void> {
  const colours = terminal.errIsTerminal && terminal.coloursWanted
  await terminal.err(`${paint('gpuq:', 'dim', colours)} ${text}\n`)
}

function sayState(job: JobDetail, { terminal }: Context): string {
  const colours = terminal.errIsTerminal && terminal.coloursWanted
  const status = paint(job.status, statusColours[job.status], colours)
  if (job.status === 'running') return `${status}${job.node_name ? ` on ${job.node_name}` : ''}`
  const code = job.status === 'failed' && job.exit_code !== null ? ` Exit code ${job.exit_code}.` : ''
  const why = job.status !== 'completed' && job.reason_text ? `: ${withoutControls(job.reason_text)}` : ''
  return `${status}${why}${code}`
}
