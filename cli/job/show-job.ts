import type { JobDetail } from '@/lib/contract/jobs'
import type { Printed } from '@/lib/contract/output/printed-output'
import { RankLabels } from '@/lib/contract/output/rank-labels'
import { CursorRows, leaveLines } from '@/lib/contract/output/screen/cursor-moves'
import { endNote } from '@/lib/contract/reasons'
import { isFinal } from '@/lib/contract/status'
import { VisibleOutput } from '@/lib/contract/text/visible-output'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import { ProblemError } from '@/lib/http/client/problem'
import { statusColours } from '../console/format'
import { paint, type Terminal, withoutControls } from '../console/terminal'
import type { Context } from '../context'
import { exitCodeOf, exitCodes } from './exit-code'
import { followJob } from './follow-job'
import { readFailure } from './read-failure'

interface ShowOptions {
  /** The job belongs to the user. */
  own: boolean
  /** Control characters are printed as they are, also to a terminal. Only for own jobs. */
  raw?: boolean | undefined
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
  { quiet = false, onlySoFar = false, rank, own, raw }: ShowOptions,
): Promise<number> {
  const output = new OutputWriter(context.terminal, { own, raw }, rank)
  const signal = context.interrupted()
  const print = (text: string) => (quiet ? Promise.resolve() : note(context, text))
  let last: JobDetail | null = null
  let lastMessage = ''
  try {
    for await (const jobEvent of followJob({ client, jobId, sleep: context.sleep, signal })) {
      if (jobEvent.kind === 'output') {
        for (const printed of jobEvent.printed) await output.write(printed)
      } else if (jobEvent.kind === 'again') {
        await output.end()
        await print('The job is retried. The output of the next attempt follows.')
      } else if (jobEvent.kind === 'job') {
        last = jobEvent.job
        if (onlySoFar) return exitCodes.ok
        const news = formatState(last, context)
        if (isFinal(last.status) || (!quiet && news !== lastMessage)) await output.end()
        if (news !== lastMessage) await print(news)
        lastMessage = news
      }
    }
  } finally {
    await output.end()
  }
  if (last !== null && isFinal(last.status)) {
    const lines = last.status === 'failed' && !quiet ? await readFailure(client, jobId) : []
    for (const line of lines) await print(line)
    return exitCodeOf(last)
  }
  if (signal.aborted) {
    await print(
      `${describeLeft(jobId, last)} Follow it with \`gpuq logs -f ${jobId}\`, or cancel it with \`gpuq cancel ${jobId}\`.`,
    )
    return exitCodes.cancelled
  }
  throw new ProblemError({
    status: 0,
    code: 'unexpected',
    detail: 'The stream ended without the final status of the job.',
  })
}

/** What goes on after Ctrl-C. */
function describeLeft(jobId: string, last: JobDetail | null): string {
  if (last?.reason === 'approval_needed') return describeUnapproved('job', jobId)
  return last?.status === 'pending' ? 'The job still waits.' : 'The job is still running.'
}

/** What a person does about a job or a group of an agent. */
export function describeUnapproved(kind: 'job' | 'group', id: string): string {
  return `The ${kind} waits until a person approves it with \`gpuq approve ${id}\`.`
}

/**
 * Writes the output of a job. It prefixes the lines of several ranks with the rank, and prints a single rank without a label. What
 * controls a terminal is made visible, unless the job is the user's own and the output goes to a pipe or file, or is wanted raw.
 */
export class OutputWriter {
  readonly #streams: Record<Printed['stream'], { labels: RankLabels; visible: VisibleOutput | null }>
  /** Shared by both streams, because they print to one terminal. */
  readonly #cursor = new CursorRows()

  constructor(
    readonly terminal: Terminal,
    { own, raw }: Pick<ShowOptions, 'own' | 'raw'>,
    readonly only: number | undefined,
  ) {
    const open = (isTerminal: boolean) => ({
      labels: new RankLabels(),
      visible: own && (raw || !isTerminal) ? null : new VisibleOutput(isTerminal ? this.#cursor : null),
    })
    this.#streams = { stdout: open(terminal.outIsTerminal), stderr: open(terminal.errIsTerminal) }
  }

  async write({ stream, text, rank }: Printed): Promise<void> {
    if (this.only !== undefined && (rank ?? 0) !== this.only) return
    const { labels, visible } = this.#streams[stream]
    const isLabelled = rank !== null && this.only === undefined
    const labelled = isLabelled ? labels.label(rank, text) : text
    // After the labels: what it holds back of a rank is printed before the label of the next one. A rank must not write over the lines
    // of another one.
    await this.#print(stream, visible === null ? labelled : visible.write(labelled, !isLabelled))
  }

  /** Writes what is left of both streams, ends their colours, and leaves their lines. More output may follow. */
  async end(): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const)
      await this.#print(stream, this.#streams[stream].visible?.end() ?? '')
    await this.#print(this.terminal.outIsTerminal ? 'stdout' : 'stderr', leaveLines(this.#cursor))
  }

  async #print(stream: Printed['stream'], text: string): Promise<void> {
    if (text === '') return
    await (stream === 'stdout' ? this.terminal.outAsIs(text) : this.terminal.errAsIs(text))
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
  const text = job.status === 'completed' ? endNote(job) : job.reason_text
  const why = text ? `: ${withoutControls(text)}` : ''
  return `${status}${why}${code}`
}

function formatNodes({ node_name, resources: { got } }: JobDetail): string {
  const nodes = got.length > 1 ? got.map(({ node }) => node).join(', ') : node_name
  return nodes ? ` on ${withoutControls(nodes)}` : ''
}
