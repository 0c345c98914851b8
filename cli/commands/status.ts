import type { Cluster, Orchestrator } from '@/lib/contract/cluster/cluster'
import { parseConfig } from '@/lib/contract/config/config'
import type { JobDetail } from '@/lib/contract/jobs'
import { describeBasis } from '@/lib/contract/predicted-time'
import { isStuck } from '@/lib/contract/reasons'
import { isFinal } from '@/lib/contract/status'
import { adviseNearest } from '@/lib/contract/submission/nearest'
import { visibleOutput } from '@/lib/contract/text/visible-output'
import type { Client } from '@/lib/http/client/client'
import { fitScreen } from '../console/fit-screen'
import {
  formatDuration,
  formatExpectedStart,
  formatShare,
  formatWhen,
  statusColours,
} from '../console/format'
import { paint, withoutControls } from '../console/terminal'
import { type Context, print } from '../context'
import { exitCodes } from '../job/exit-code'
import { findJobId } from '../job/job-id'
import { readOfAll, renderNodes, renderQueue } from './cluster'

interface StatusOptions {
  watch?: boolean
  json?: boolean
}

interface View {
  text: string
  data: unknown
  /** True if the view cannot change any more. */
  final: boolean
}

const pollIntervalMs = 2_000
/** Overwrites the screen from the top. Clearing the whole screen first would flicker. */
const toTop = '\u001b[H'
const clearBelow = '\u001b[J'
const clearAll = '\u001b[2J'

/** Shows one job, or the cluster and its queue. */
export async function status(
  context: Context,
  given: string | undefined,
  { watch = false, json = false }: StatusOptions,
): Promise<number> {
  const client = await context.connect()
  const id = given === undefined ? null : await findJobId(client, given)
  const readView = () => (id === null ? readCluster(context, client) : readJob(context, client, id))
  const interrupted = watch ? context.interrupted() : null
  let view = await readView()
  if (watch && context.terminal.outIsTerminal && !json) await context.terminal.outAsIs(clearAll)
  for (;;) {
    await show(context, view, { watch, json })
    if (!watch || view.final) return exitCodes.ok
    await context.sleep(pollIntervalMs)
    if (interrupted?.aborted) return exitCodes.ok
    view = await readView()
  }
}

async function show(
  context: Context,
  { text, data }: View,
  { watch, json }: { watch: boolean; json: boolean },
): Promise<number> {
  const { terminal } = context
  if (json || !watch || !terminal.outIsTerminal) return print(context, json, data, text)
  // Erase the rest of each line, because an earlier, longer line may have filled it.
  const screen = terminal.screen()
  const visible = visibleOutput(text)
  const shown = screen ? fitScreen(visible, screen) : visible
  await terminal.outAsIs(`${toTop}${shown.replaceAll('\n', '\u001b[K\n')}${clearBelow}`)
  return exitCodes.ok
}

async function readCluster(context: Context, client: Client): Promise<View> {
  const [cluster, queue, orchestrator] = await readOfAll(client, () =>
    Promise.all([client.cluster.get(), client.queue.list(), client.orchestrator.status()]),
  )
  const scheduler = describeScheduler(orchestrator)
  const counts = `${orchestrator.running_jobs} running, ${orchestrator.queued} waiting`
  const text = [
    `${formatGpus(cluster)}\nJobs: ${counts}. Scheduler: ${scheduler}.\n${describeSlurmProblem(orchestrator)}`,
    renderNodes(context, cluster),
    renderQueue(context, queue),
  ].join('\n')
  return { text, data: { ...cluster, queue, orchestrator }, final: false }
}

function describeScheduler({ running, scheduling_policy, slurm }: Orchestrator): string {
  const name =
    slurm === null ? scheduling_policy : `Slurm${slurm.version === null ? '' : ` ${slurm.version}`}`
  if (running) return name
  return slurm === null ? 'stopped' : 'stopped, so gpuq submits nothing to Slurm'
}

/** A line for the time in which Slurm does not answer. */
function describeSlurmProblem({ slurm }: Orchestrator): string {
  if (slurm === null || slurm.problem === null) return ''
  const since = slurm.read_at === null ? '' : ` since ${formatWhen(slurm.read_at, Date.now())}`
  return `Slurm does not answer${since}. New jobs are kept and wait. ${withoutControls(slurm.problem)}\n`
}

function formatGpus({ cluster_status: now }: Cluster): string {
  const simulated = now.simulated_gpus > 0 ? `, ${now.simulated_gpus} of them simulated` : ''
  const load = now.load_percent === null ? '' : `, measured load ${Math.round(now.load_percent)} %`
  const gpus = `${now.available_gpus} of ${now.total_gpus} free (${Math.round(now.utilization_percent)} % allocated${load})`
  return `GPUs: ${gpus}${simulated}. Nodes: ${now.ready_nodes} of ${now.nodes} ready.`
}

async function readJob(context: Context, client: Client, id: string): Promise<View> {
  const job = await client.jobs.get(id)
  // A job that cannot start has a place in the queue, but it never comes to it.
  const place = job.status === 'pending' && !isStuck(job) ? await client.queue.get(id) : null
  const priority = await describePriority(client, job)
  return { text: renderJob(context, job, { place, priority }), data: job, final: isFinal(job.status) }
}

type QueuePlace = Awaited<ReturnType<Client['queue']['get']>>

/** As the user typed it: in a jobs file and in `gpuq add`, lower numbers start first. */
async function describePriority(client: Client, job: JobDetail): Promise<string> {
  const stored = String(job.priority)
  if (job.command !== null || job.priority === 0) return stored
  const parsed = parseConfig((await client.jobs.source(job.job_id)).config)
  const isLine = parsed.ok && parsed.config.cuda_argument
  return isLine ? `${-job.priority} (as in a jobs file: lower numbers start first)` : stored
}

interface Shown {
  place: QueuePlace | null
  priority: string
}

function renderJob({ terminal }: Context, job: JobDetail, { place, priority }: Shown): string {
  const now = Date.now()
  const colours = terminal.outIsTerminal && terminal.coloursWanted
  const gpus = job.gpus.map(({ index, model, milli }) => `${index} (${model}, ${formatShare(milli / 1000)})`)
  // A job that waits again, because it is paused or retried, holds nothing of its last attempt.
  const isPlaced = job.status !== 'pending' || job.placed
  const facts: [string, string | number | null][] = [
    ['job', job.job_id],
    ['name', job.name],
    ['status', job.status],
    ['reason', job.reason_text],
    ['exit code', job.exit_code],
    ['error', describeError(job)],
    ['advice', job.diagnosis?.next_step ?? job.advice?.text ?? (adviseNearest(job.nearest).trim() || null)],
    ['position', place?.position ?? null],
    ['expected start', formatStart(job, place, now)],
    ['', place?.expected_start_text ?? null],
    ['ends', describeEnd(job, now)],
    ['slurm job', describeSlurmJob(job)],
    ['user', job.user_id],
    ['submitted with', job.submitted_with && `the token "${job.submitted_with.name}"`],
    ['project', job.project_id],
    ['competition', job.competition_id],
    ['environment', job.environment],
    ['command', job.command],
    ['priority', priority],
    ['attempt', job.attempt > 1 ? `${job.attempt}, at most ${job.max_retries} retries` : null],
    ['node', isPlaced ? job.node_name : null],
    ['gpus', isPlaced && gpus.length > 0 ? gpus.join(', ') : null],
    ['submitted', formatWhen(job.created_at, now)],
    ['started', formatWhen(job.started_at, now)],
    ['ended', formatWhen(job.completed_at, now)],
    ['expected time', formatDuration(job.expected_time)],
    [
      'predicted time',
      job.predicted_time
        ? `${formatDuration(job.predicted_time.seconds)}, ${describeBasis(job.predicted_time)}`
        : null,
    ],
    ['time limit', formatDuration(job.max_time)],
    ['result file', job.result_file],
    ['bucket', job.bucket && describeBucket(job.bucket)],
  ]
  return facts
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => {
      const shown = withoutControls(String(value))
      const colour = name === 'status' ? statusColours[job.status] : null
      return `${name.padEnd(16)}${paint(shown, colour, colours)}\n`
    })
    .join('')
}

/** What the program printed, and the line of code that led to it. `gpuq why` says more. */
function describeError({ reason, diagnosis }: JobDetail): string | null {
  if (reason !== 'exit_code' || !diagnosis?.error) return null
  const { error, place } = diagnosis
  return place ? `${error} (${place.file}, line ${place.line})` : error
}

function formatStart({ slurm }: JobDetail, place: QueuePlace | null, now: number): string | null {
  const start = place && formatExpectedStart(place, now)
  return start && slurm ? `${start} (predicted by Slurm)` : start
}

/** When a job leaves the queue that no node fits. */
function describeEnd({ never_fits_ends_at: at }: JobDetail, now: number): string | null {
  const when = formatWhen(at, now)
  return when && `${when}, unless a node fits the job before`
}

/** The submission to Slurm in Slurm's words. */
function describeSlurmJob({ slurm }: JobDetail): string | null {
  if (slurm === null || slurm.slurm_id === null) return null
  const why = slurm.reason === null || slurm.reason === 'None' ? '' : ` (${slurm.reason})`
  return `${slurm.slurm_id}${slurm.state === null ? '' : `, ${slurm.state}`}${why}`
}

function describeBucket({ url, state, problem }: NonNullable<JobDetail['bucket']>): string {
  const why = problem === null ? '' : `: ${problem}`
  return `${url} (${state}${why})`
}
