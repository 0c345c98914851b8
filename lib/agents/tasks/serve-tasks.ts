import type { CallToolResult, Result, Server, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { GpuqError } from '../../contract/errors'
import { describeTask, readTaskId, taskableWait, tasksExtension, viewTask, type Wait } from './wait-task'

/** The only tool that a task can stand for. */
export const waitTool = 'WaitForGPUJobs'

/** What requests about tasks need of the tools. */
export interface TaskHost {
  /** Runs {@link waitTool}. @throws its error */
  wait(input: unknown): Promise<CallToolResult>
  /** Counts how many have ended of what it would wait for. Clients ask every few seconds, and a description reads output. @throws its error */
  count(wait: Wait): Promise<{ over: number; waiting: number }>
  /** The result of a tool that failed. */
  failed(error: unknown): CallToolResult
  /** An error of the protocol: a wrong request, or a failure of the server. */
  protocolError(of: 'request' | 'server', text: string): Error
}

const takesTasks = z.looseObject({
  'io.modelcontextprotocol/clientCapabilities': z.looseObject({
    extensions: z.looseObject({ [tasksExtension]: z.looseObject({}) }),
  }),
})

/** Whether a client that calls a tool takes a task instead of its result. */
export const mayGetTask = (name: string, { mcpReq }: ServerContext): boolean =>
  name === waitTool && takesTasks.safeParse(mcpReq.envelope).success

/** Answers a call of {@link waitTool} at once: with its result if what it waits for has happened, otherwise with a task. */
export async function waitAsTask(host: TaskHost, input: unknown): Promise<CallToolResult> {
  const wait = taskableWait(input)
  try {
    if (wait === null) return await host.wait(input)
    const { isOver, shown } = viewTask({ wait, createdAt: new Date() }, await host.count(wait))
    if (isOver) return await host.wait({ ...wait, seconds: 0 })
    return { content: [], resultType: 'task', status: 'working', ...shown }
  } catch (error) {
    return host.failed(error)
  }
}

/** Answers the requests about tasks. */
export function serveTasks(server: Server, host: TaskHost): void {
  const taskOf = ({ taskId }: { taskId: string }) => {
    const task = readTaskId(taskId)
    if (task === null) throw host.protocolError('request', `There is no task with this id. Call ${waitTool}.`)
    return task
  }
  const params = z.looseObject({ taskId: z.string() })
  server.setRequestHandler('tasks/get', { params }, async (given): Promise<Result> => {
    const task = taskOf(given)
    try {
      const { isOver, shown } = viewTask(task, await host.count(task.wait))
      if (!isOver) return { ...shown, status: 'working' }
      return { ...shown, status: 'completed', result: await host.wait({ ...task.wait, seconds: 0 }) }
    } catch (error) {
      const result = host.failed(error)
      // The client asks again, unless that cannot help.
      if (!(error instanceof GpuqError)) throw host.protocolError('server', textOf(result))
      return { ...describeTask(task), status: 'completed', result }
    }
  })
  const acknowledge = (given: { taskId: string }): Result => {
    taskOf(given)
    return {}
  }
  // Nobody waits between two requests, so nothing is left to end. The jobs go on: StopGPUJob stops them.
  server.setRequestHandler('tasks/cancel', { params }, acknowledge)
  // No task asks for input, and answers that nobody asked for are ignored.
  server.setRequestHandler('tasks/update', { params }, acknowledge)
}

const textOf = ({ content }: CallToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
