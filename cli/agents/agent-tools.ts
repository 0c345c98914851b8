import {
  type CallToolRequest,
  type CallToolResult,
  isCallToolResult,
  ProtocolError,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { defaultProject } from '@/lib/contract/access/project-kinds'
import { conflict, GpuqError, unavailable } from '@/lib/contract/errors'
import { finalStatuses } from '@/lib/contract/status'
import { visibleOutput } from '@/lib/contract/text/visible-output'
import type { Context } from '../context'
import { isShared, type ShippedDirectory, shipDirectory } from '../working-files/ship-directory'
import { newState } from '../working-files/sync-state'
import type { AgentFiles } from './agent-files'
import { describeFailure } from './describe-failure'
import { hintScripts } from './script-hints'

type ToolCall = CallToolRequest['params']

/** How long a response with a final status waits for the last files, in ms. */
const lastFilesMs = 20_000
/** The same for a response that has waited for the job: clients often end a call after a minute. */
const lastFilesAfterWaitMs = 5_000

const unknownAnswer =
  'The server sent an answer that this version does not understand, so the files of the job do not return. Update gpuq here or there.'

const filesOfMembers =
  'Each member starts in a copy of the working directory. The files that members write do not return to it: let them print their results.'

const createInput = z.looseObject({
  project_id: z.string().default(defaultProject),
  idempotency_key: z.string().optional(),
  command: z.string().default(''),
  environment: z.string().optional(),
  mounts: z.record(z.string(), z.unknown()).default({}),
})
const jobAnswer = z.looseObject({ job_id: z.uuid().optional(), status: z.string().optional() })
const waitAnswer = z.looseObject({ ended: z.array(z.looseObject({ id: z.string() })) })

interface AgentToolsOptions {
  context: Context
  files: AgentFiles
  /** Calls a tool of the server. */
  forward: (call: ToolCall, signal?: AbortSignal) => Promise<CallToolResult>
  server: string
  /** Absolute path of the agent's working directory, or why it cannot be one. */
  directory: string | GpuqError
}

/** The tools of the server, with the agent's working directory. */
export class AgentTools {
  /** A call that is repeated with its key sends the same directory, so that it is the same job. */
  readonly #shippedByKey = new Map<string, ShippedDirectory>()

  constructor(readonly of: AgentToolsOptions) {}

  /**
   * Calls a tool. Errors of the tool are part of the result, so that the model can read them.
   * @throws ProtocolError of the server, because the call is malformed; the reason of `signal`.
   */
  async call(call: ToolCall, signal?: AbortSignal): Promise<CallToolResult> {
    try {
      return visible(await this.#call(call, signal))
    } catch (error) {
      if (error instanceof ProtocolError || signal?.aborted) throw error
      return visible({
        content: [{ type: 'text', text: describeFailure(error, this.of.server) }],
        isError: true,
      })
    }
  }

  /** Does for the result of a wait in the answer to `tasks/get` what {@link call} does for the result of a call. */
  async finishTask(task: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { result } = task
    return isCallToolResult(result) ? { ...task, result: visible(await this.#withFiles(result)) } : task
  }

  async #call(call: ToolCall, signal?: AbortSignal): Promise<CallToolResult> {
    if (call.name === 'CreateGPUJob' || call.name === 'SubmitGPUJobs') return this.#submit(call)
    if (call.name === 'PreviewGPUJobs') return this.#preview(call)
    return this.#withFiles(await this.of.forward(call, signal), call.arguments?.job_id)
  }

  /**
   * Sends the working directory, then creates the job or the group in it. A call that names a directory itself is forwarded. The
   * members of a group would overwrite each other's files here, so what they write does not return.
   */
  async #submit(call: ToolCall): Promise<CallToolResult> {
    const { context, files, forward, server, directory } = this.of
    const given = createInput.safeParse(call.arguments ?? {})
    if (!given.success || namesDirectory(given.data)) return forward(call)
    if (directory instanceof GpuqError) throw noDirectory(directory)
    const { project_id: project, idempotency_key: key } = given.data
    const known = key === undefined ? undefined : this.#shippedByKey.get(key)
    const check = () => this.#requireAccepted(call, directory)
    const shipped = known ?? (await shipDirectory(context, project, directory, { quiet: true, check }))
    if (key !== undefined) this.#shippedByKey.set(key, shipped)
    if (shipped.shared) return forward(call)
    const place = { working_directory: directory, ...(shipped.archive && { archive: shipped.archive }) }
    const result = await forward({ ...call, arguments: { ...call.arguments, ...place } })
    const notSent = shipped.notSent === null ? [] : [shipped.notSent]
    if (result.isError || result.structuredContent === undefined) return withTexts(result, notSent)
    const { data } = jobAnswer.safeParse(result.structuredContent)
    if (data === undefined) throw unavailable(unknownAnswer)
    const jobId = data.job_id
    if (jobId !== undefined) await files.add(newState({ jobId, server, directory, shipped: shipped.shipped }))
    const ofGroup = call.name === 'SubmitGPUJobs' ? [filesOfMembers] : []
    return withTexts(result, [...notSent, ...ofGroup, ...(await this.#hint(given.data, directory))])
  }

  /** The job would get the working directory, which is not sent. */
  async #preview(call: ToolCall): Promise<CallToolResult> {
    const { context, forward, directory } = this.of
    const given = createInput.safeParse(call.arguments ?? {})
    if (!given.success || namesDirectory(given.data) || directory instanceof GpuqError) return forward(call)
    if (await isShared(context, given.data.project_id, directory)) return forward(call)
    return forward({ ...call, arguments: { ...call.arguments, working_directory: directory } })
  }

  /**
   * Checks a job before its directory is sent. Not with a key: the job may exist, and the server finds it only with its directory.
   * @throws with the reason why the server would refuse it.
   */
  async #requireAccepted(call: ToolCall, directory: string): Promise<void> {
    if (call.arguments?.idempotency_key !== undefined) return
    const result = await this.of.forward({
      ...call,
      name: 'PreviewGPUJobs',
      arguments: { ...call.arguments, working_directory: directory },
    })
    const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    // Servers of earlier versions have no such tool: they say it when the job is created.
    if (result.isError && !text.includes('"PreviewGPUJobs"')) throw conflict(text)
  }

  /** Hints about the scripts that were sent. They must not make a call fail whose job exists. */
  async #hint({ mounts, ...job }: z.output<typeof createInput>, directory: string): Promise<string[]> {
    const sent = { ...job, directory, provided: [directory, ...Object.keys(mounts)] }
    return hintScripts(this.of.files.client, sent).catch(() => [])
  }

  /**
   * Adds what happened to the files of the jobs that a result is about. Those of a job that has ended are here, if they arrive in time.
   * @param asked the job that the call named.
   */
  async #withFiles(result: CallToolResult, asked?: unknown): Promise<CallToolResult> {
    const { files } = this.of
    const answer = jobAnswer.safeParse(result.structuredContent).data
    const jobId = answer?.job_id ?? asked
    const ended = waitAnswer.safeParse(result.structuredContent).data?.ended ?? []
    if (typeof jobId === 'string' && finalStatuses.some((status) => status === answer?.status))
      await files.finish(jobId, lastFilesMs)
    await Promise.all(ended.map(({ id }) => files.finish(id, lastFilesAfterWaitMs)))
    const jobs = [...(typeof jobId === 'string' ? [jobId] : []), ...ended.map(({ id }) => id)]
    return withTexts(
      result,
      jobs.flatMap((id) => files.takeReports(id)),
    )
  }
}

/** Programs show the texts of a result on a terminal, which jobs and servers must not control. */
function visible(result: CallToolResult): CallToolResult {
  const content = result.content.map((part) =>
    part.type === 'text' ? { ...part, text: visibleOutput(part.text) } : part,
  )
  return { ...result, content }
}

function namesDirectory({ archive, working_directory }: z.output<typeof createInput>): boolean {
  return archive !== undefined || working_directory !== undefined
}

function withTexts(result: CallToolResult, texts: readonly string[]): CallToolResult {
  if (texts.length === 0) return result
  return { ...result, content: [...result.content, { type: 'text', text: texts.join('\n') }] }
}

function noDirectory({ message }: GpuqError): GpuqError {
  return conflict(
    `${message.replace(/\.$/, '')}. Start \`gpuq mcp\` in the directory of the project, or with "--directory", "/path/to/project" in its arguments. A job that names archive or working_directory itself needs none.`,
  )
}
