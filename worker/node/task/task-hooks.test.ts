import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Outcome } from '@/lib/jobs/state/finish'
import type { TaskContainer } from '../../runtime/runtime'
import type { NodeContext } from '../node-context'
import { prepareTask } from './prepare-task'
import { TaskFault } from './task-fault'
import type { ExitedTask, StartedTask, TaskHook, TaskStart } from './task-hook'
import { TaskHooks } from './task-hooks'
import { claimedTask as task } from './testing/claimed-task'

const node = {
  tasksDirectory: '/tasks',
  keepsJobs: false,
  lease: { nodeId: 'node', leaseId: 'lease', engineId: 'engine' },
} as NodeContext
const finished: Outcome = { reason: 'finished', detail: null, exitCode: 0 }

const hooksOf = (...hooks: TaskHook[]) =>
  new TaskHooks(
    node,
    hooks.map((hook) => () => hook),
  )

/** A hook that writes its calls to a list. */
function recorded(name: string, calls: string[], own: Partial<TaskHook> = {}): TaskHook {
  return {
    prestart: async () => {
      calls.push(`${name} prepares`)
      return {}
    },
    clear: async (taskId) => void calls.push(`${name} clears ${taskId}`),
    ...own,
  }
}

const start = (stopping = new AbortController().signal): Omit<TaskStart, 'container'> => ({
  task,
  stopping,
  note: () => {},
  opened: Promise.resolve(undefined),
})

const running = (notes: string[] = []): StartedTask => ({
  task,
  container: {
    id: 'container',
    jobId: task.jobId,
    taskId: task.id,
    attempt: task.attempt,
    nodeId: 'node',
    state: 'running',
    network: null,
    tty: false,
    snapshots: [],
    warm: false,
  },
  isOver: false,
  running: new AbortController().signal,
  abandoned: new AbortController().signal,
  note: (text) => notes.push(text),
  stop: () => {},
})

it('prepares a task with one hook after the other, and each sees what the hooks before it changed', async () => {
  const seen: TaskContainer['command'][] = []
  const adding = (word: string): TaskHook => ({
    prestart: async ({ container }) => {
      seen.push(container.command)
      return { command: [...container.command, word] }
    },
  })
  const container = await prepareTask(node, hooksOf(adding('first'), {}, adding('second')), start())
  const plain = (await prepareTask(node, hooksOf(), start()))?.command ?? []
  expect(seen).toEqual([plain, [...plain, 'first']])
  expect(container?.command).toEqual([...plain, 'first', 'second'])
})

it('limits the time of the program as the hooks have made it, if jobs run on without a worker', async () => {
  const other = hooksOf({ prestart: async () => ({ command: ['other', 'program'] }) })
  const container = await prepareTask({ ...node, keepsJobs: true }, other, start())
  expect(container?.command.slice(-2)).toEqual(['other', 'program'])
  expect(container?.command.length).toBeGreaterThan(2)
})

it('prepares nothing more after an error, and clears what every hook has for the task, once', async () => {
  const calls: string[] = []
  const fault = new TaskFault('snapshot_unavailable', 'It is gone.')
  const failing = { prestart: () => Promise.reject(fault) }
  const hooks = hooksOf(recorded('a', calls), recorded('b', calls, failing), recorded('c', calls))
  await expect(prepareTask(node, hooks, start())).rejects.toBe(fault)
  await hooks.clear('task')
  expect(calls).toEqual(['a prepares', 'c clears task', 'b clears task', 'a clears task'])
})

it('clears all that a task has although hooks fail, except its directory, and reports the failures together', async () => {
  const calls: string[] = []
  const failing = (name: string): TaskHook => ({ clear: () => Promise.reject(new Error(`${name} is busy.`)) })
  const directory = recorded('the directory', calls, { directory: node.tasksDirectory })
  const other = recorded('b', calls, { directory: '/elsewhere' })
  const both = hooksOf(recorded('a', calls), directory, failing('C'), other, failing('D'))
  await expect(both.clear('task')).rejects.toThrow('Error: D is busy. Error: C is busy.')
  expect(calls).toEqual(['b clears task', 'a clears task'])
  await expect(hooksOf(directory, failing('C')).clear('task')).rejects.toThrow(/^C is busy\.$/)
  await hooksOf(directory).clear('task')
  expect(calls.slice(2)).toEqual(['the directory clears task'])
})

it('has no container for a task that was stopped while a hook prepared it', async () => {
  const stop = new AbortController()
  const waiting: TaskHook = {
    prestart: async ({ stopping }) => {
      stop.abort()
      stopping.throwIfAborted()
      return {}
    },
  }
  expect(await prepareTask(node, hooksOf(waiting), start(stop.signal))).toBeNull()
})

it('finishes together what hooks do while a program runs, and says in the output what is missing', async () => {
  const calls: string[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const watching = (name: string, missing: string | null, wait?: Promise<void>): TaskHook => ({
    started: () => ({
      finish: async () => {
        calls.push(`${name} begins`)
        await wait
        calls.push(`${name} ends`)
        return missing
      },
      close: () => calls.push(`${name} is closed`),
    }),
  })
  const notes: string[] = []
  const none: TaskHook = { started: () => null }
  const hooks = hooksOf(watching('a', 'A is missing.', released), none, watching('b', null))
  const watch = hooks.started(running(notes))
  const finish = watch.finish(finished)
  await expect.poll(() => calls).toEqual(['a begins', 'b begins', 'b ends'])
  release()
  expect(await finish).toEqual({ ...finished, detail: 'A is missing.' })
  expect(notes).toEqual(['A is missing.'])
  watch.close()
  expect(calls.slice(-2)).toEqual(['a is closed', 'b is closed'])
})

it('adds what is missing at the end to the outcome, which the next hook sees', async () => {
  const seen: (string | null)[] = []
  const missing = (sentence: string | null): TaskHook => ({
    exited: async ({ outcome }: ExitedTask) => {
      seen.push(outcome.detail)
      return sentence
    },
  })
  const hooks = hooksOf(missing('One.'), missing(null), {}, missing('Two.'))
  const end = { task, outcome: finished, abandoned: new AbortController().signal }
  expect(await hooks.exited(end)).toEqual({ ...finished, detail: 'One. Two.' })
  expect(seen).toEqual([null, 'One.', 'One.'])
})

it('finds every task that has files in a directory of a hook, also without the worker that prepared it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'gpuq-hooks-'))
  onTestFinished(() => rm(root, { recursive: true }))
  for (const path of ['one/a', 'one/b', 'two/b', 'two/c']) await mkdir(join(root, path), { recursive: true })
  const hooks = hooksOf(
    { directory: join(root, 'one') },
    {},
    { directory: join(root, 'two') },
    { directory: join(root, 'none') },
  )
  expect((await hooks.listTasksWithFiles()).toSorted()).toEqual(['a', 'b', 'c'])
})
