import { constants } from 'node:os'
import { z } from 'zod'
import { type ContainerRef, type Exit, RuntimeFault, type TaskContainer } from '../runtime'
import { labels, parseContainerName, snapshotsOf } from '../spec/container-spec'
import { networkName } from '../spec/network-spec'
import { type ContainerNotes, unknownSignal } from './engine-events'

const warmLabelsSchema = z.object({ [labels.warm]: z.string().min(1), [labels.node]: z.string().min(1) })

const labelsSchema = z.object({
  [labels.job]: z.string().min(1),
  [labels.task]: z.string().min(1),
  [labels.node]: z.string().min(1),
  [labels.attempt]: z.coerce.number().int().nonnegative(),
  [labels.network]: z.string().min(1).optional(),
  [labels.snapshots]: z.string().default(''),
})

/** The properties of `GET /containers/ID/json` that gpuq uses. */
export const inspectSchema = z.object({
  Id: z.string(),
  Name: z.string().default(''),
  Config: z.object({ Labels: z.record(z.string(), z.string()).nullish() }),
  State: z.object({
    Status: z.string(),
    ExitCode: z.number().int(),
    OOMKilled: z.boolean().default(false),
    StartedAt: z.string().default(''),
    FinishedAt: z.string().default(''),
  }),
})

export type Inspection = z.infer<typeof inspectSchema>

/** The properties of `GET /containers/json` that gpuq uses. */
export const listSchema = z.array(
  z.object({
    Id: z.string(),
    Names: z.array(z.string()).nullish(),
    Labels: z.record(z.string(), z.string()).nullish(),
    State: z.string(),
  }),
)

/**
 * Returns a task's container with our labels, or null for any other container, such as a warm one without a task.
 * @param name its name, which identifies the task of a warm container.
 */
export function toContainerRef(
  id: string,
  carried: Record<string, string> | null | undefined,
  status: string,
  name = '',
): ContainerRef | null {
  const waited = warmLabelsSchema.safeParse(carried ?? {}).data
  if (waited !== undefined) {
    const task = parseContainerName(name)
    const rest = { network: null, tty: false, snapshots: [], warm: true }
    return task && { id, ...taskOf(task), nodeId: waited[labels.node], state: toState(status), ...rest }
  }
  const parsed = labelsSchema.safeParse(carried ?? {}).data
  if (parsed === undefined) return null
  return {
    id,
    jobId: parsed[labels.job],
    taskId: parsed[labels.task],
    attempt: parsed[labels.attempt],
    nodeId: parsed[labels.node],
    state: toState(status),
    network: parsed[labels.network] ?? null,
    tty: carried?.[labels.terminal] === 'true',
    snapshots: parsed[labels.snapshots].split(',').filter((hash) => hash !== ''),
    warm: false,
  }
}

const taskOf = ({ jobId, taskId, attempt }: Pick<ContainerRef, 'jobId' | 'taskId' | 'attempt'>) => ({
  jobId,
  taskId,
  attempt,
})

/** Returns the warm container that a task just got. */
export function assignedRef(task: TaskContainer, id: string): ContainerRef {
  return { ...newRef(task, id), warm: true }
}

/** Returns the container that was just created for a task. */
export function newRef(task: TaskContainer, id: string): ContainerRef {
  const { jobId, taskId, attempt, nodeId, tty } = task
  const network = typeof task.network === 'string' ? null : networkName(task)
  const snapshots = snapshotsOf(task)
  return { id, jobId, taskId, attempt, nodeId, state: 'created', network, tty, snapshots, warm: false }
}

/**
 * Returns the container with a task's name if it belongs to that task. Any other container with the name comes from
 * another database or from outside gpuq, so gpuq must not run or remove it.
 */
export function findOwn(task: TaskContainer, found: Inspection): ContainerRef {
  const ref = toContainerRef(found.Id, found.Config.Labels, found.State.Status, found.Name)
  if (
    ref?.jobId === task.jobId &&
    ref.taskId === task.taskId &&
    ref.attempt === task.attempt &&
    ref.nodeId === task.nodeId
  )
    return ref
  throw new RuntimeFault(
    'engine_error',
    `A different container already has the name of this task's container (${found.Id}). Remove it if it is not needed.`,
  )
}

/** Returns how a container ended. */
export function toExit({ State }: Inspection): Exit {
  if (toState(State.Status) !== 'exited')
    throw new RuntimeFault('engine_error', `The container has not ended: it is ${State.Status}.`)
  const startedAt = toTime(State.StartedAt)
  const finishedAt = toTime(State.FinishedAt)
  return {
    exitCode: State.ExitCode,
    outOfMemory: State.OOMKilled,
    startedAt,
    // The engine reads the wall clock, which can step back while the container runs.
    finishedAt: startedAt && finishedAt && finishedAt < startedAt ? startedAt : finishedAt,
  }
}

/** A program may handle these signals and exit with any code, for example after it has saved its work. */
const endSignals = [
  constants.signals.SIGHUP,
  constants.signals.SIGINT,
  constants.signals.SIGQUIT,
  constants.signals.SIGTERM,
]

/**
 * Throws if the engine or something outside gpuq ended the container, because such an end says nothing about the
 * program.
 */
export function refuseForeignEnd({ exitCode }: Exit, { interruptedMs, signals }: ContainerNotes): void {
  const signal = [exitCode - 128, ...endSignals, unknownSignal].find((number) => signals.has(number))
  if (signal !== undefined)
    throw new RuntimeFault(
      'container_gone',
      `Something outside gpuq ended the container with ${signal === unknownSignal ? 'a signal' : `signal ${signal}`}.`,
    )
  // The engine may have ended it, and has lost the output in its pipes.
  if (interruptedMs !== null)
    throw new RuntimeFault(
      'container_gone',
      'The container ended while the engine was unavailable, so its last output is lost.',
    )
}

/** Whether the program of a container with this status of the engine has started and has not ended. A paused one is live. */
export function isLive(status: string): boolean {
  return toState(status) === 'running'
}

/** Podman has more states than Docker. */
function toState(status: string): ContainerRef['state'] {
  if (status === 'created' || status === 'initialized') return 'created'
  return ['running', 'paused', 'restarting', 'stopping'].includes(status) ? 'running' : 'exited'
}

/** The engine's times have nanoseconds, and the year 1 for "never". */
function toTime(text: string): Date | null {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1970 ? null : time
}
