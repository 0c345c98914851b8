import type { JobDetail } from '@/lib/contract/jobs'
import type { Printed } from '@/lib/contract/printed-output'
import { RankLabels } from '@/lib/contract/rank-labels'
import { isFinal } from '@/lib/contract/status'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import { ProblemError } from '@/lib/http/client/problem'
import type { Context } from '../context'
import { statusColours } from '../terminal/format'
import { paint, withoutControls } from '../terminal/terminal'
import { exitCodeOf, exitCodes } from './exit-code'
import { followJob } from './follow-job'

interface ShowOptions {
  /** Prints only the job's output, no messages about the job. */
  quiet?: boolean | undefined
  /** Stops at the current end of the output, even if the job still runs. */
  onlySoFar?: boolean
  /** Only this task of a multi-node job, without its label. */
  rank?: number | undefined
}

/**
 * Prints a job's output live, stdout to stdout and stderr to stderr. Prints changes of its status to stderr.
 * Resolves with the job's exit code after it has ended.
 */
export async function showJob(
  context: Context,
  client: JobsClient,
  jobId: string,
  { quiet = false, onlySoFar = false, rank }: ShowOptions,
): Promise<number> {
  const { terminal } = context
  const write = createOutputWriter(terminal, rank)
  const signal = context.interrupted()
  const print = (text: string) => (quiet ? Promise.resolve() : note(context, text))
  let last: JobDetail | null = null
  let lastMessage = ''
  for await (const jobEvent of followJob({ client, jobId, sleep: context.sleep, signal })) {
    if (jobEvent.kind === 'output') {
      for (const printed of jobEvent.printed) await write(printed)
    } else if (jobEvent.kind === 'again') {
      await print('The job is retried. The output of the next attempt follows.')
    } else if (jobEvent.kind === 'job') {
      last = jobEvent.job
      if (onlySoFar) return exitCodes.ok
      const news = formatState(last, context)
      if (news !== lastMessage) await print(news)
      lastMessage = news
    }
  }
  if (last !== null && isFinal(last.status)) return exitCodeOf(last)
  if (signal.aborted) {
    await print(
      `The job is still running. Follow it with \`gpuq logs -f ${jobId}\`, or cancel it with \`gpuq cancel ${jobId}\`.`,
    )
    return exitCodes.cancelled
  }
  throw new ProblemError({
    status: 0,
    code: 'unexpected',
    detail: 'The stream ended without the final status of the job.',
  })
}

/**
 * Returns a writer of output. It prefixes the lines of several ranks with the rank, and prints a single rank
 * as it is.
 */
export function createOutputWriter(terminal: Context['terminal'], only: number | undefined) {
  const labels = { stdout: new RankLabels(), stderr: new RankLabels() }
  return async ({ stream, text, rank }: Printed) => {
    if (only !== undefined && (rank ?? 0) !== only) return
    const shown = rank === null || only !== undefined ? text : labels[stream].label(rank, text)
    await (stream === 'stdout' ? terminal.out(shown) : terminal.err(shown))
  }
}

/** Prints a message of gpuq, marked so that it differs from the job's output. */
export async function note({ terminal }: Context, text: string): Promise<void> {
  const colours = terminal.errIsTerminal && terminal.coloursWanted
  await terminal.err(`${paint('gpuq:', 'dim', colours)} ${text}\n`)
}

export function formatState(job: JobDetail, { terminal }: Context): string {
  const colours = terminal.errIsTerminal && terminal.coloursWanted
  const status = paint(job.status, statusColours[job.status], colours)
  if (job.status === 'running') return `${status}${formatNodes(job)}`
  const known = job.reason_text?.includes(`Exit code ${job.exit_code}`)
  const code =
    job.status === 'failed' && job.exit_code !== null && !known ? ` Exit code ${job.exit_code}.` : ''
  const why = job.status !== 'completed' && job.reason_text ? `: ${withoutControls(job.reason_text)}` : ''
  return `${status}${why}${code}`
}

function formatNodes({ node_name, resources: { got } }: JobDetail): string {
  if (got.length > 1) return ` on ${got.map(({ node }) => node).join(', ')}`
  return node_name ? ` on ${node_name}` : ''
}
