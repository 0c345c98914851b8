import type { CallToolResult } from '@modelcontextprotocol/server'
import { uuidv7 } from 'uuidv7'
import { version } from '../../package.json'
import { requireScope } from '../access/actor'
import { clientLeft, GpuqError, internalError, notFound } from '../contract/errors'
import { leaveOutNullsOfMessage } from '../contract/leave-out-nulls'
import { visibleOutput } from '../contract/text/visible-output'
import { logger } from '../logger'
import { toModelSchema } from './model-schema'
import { mayGetTask, serveTasks, type TaskHost, waitAsTask, waitTool } from './tasks/serve-tasks'
import { tasksExtension } from './tasks/wait-task'
import type { ToolCall } from './tool-call'
import { tools } from './tools'
import { countEnded } from './wait-for-jobs'

const instructions =
  'A GPU job queue. ViewGPUCluster lists the GPUs and environments. PreviewGPUJobs says what a job would cost, CreateGPUJob submits one and SubmitGPUJobs many. WaitForGPUJobs returns when they have ended, with the cause of each failure; DiagnoseGPUJob says more. GetGPUJobMetrics and CompareGPUJobs show results. StopGPUJob stops a job or a group.'

/**
 * Answers one message of the Model Context Protocol, of its revision of 2026 or an earlier one. Keeps no state: each message has
 * its own server, so any web process can answer it.
 */
export async function answerMessage(request: Request, message: unknown, call: ToolCall): Promise<Response> {
  // Loaded with the first message: the packages of the protocol take more memory than the rest of the API's packages.
  const {
    Server,
    WebStandardStreamableHTTPServerTransport,
    createMcpHandler,
    isLegacyRequest,
    ProtocolError,
    ProtocolErrorCode: codes,
  } = await import('@modelcontextprotocol/server')
  const tasks: TaskHost = {
    wait: (input) => runTool(call, waitTool, input),
    count: async ({ ids }) => {
      requireScope(call.actor, toolNamed(waitTool).scope)
      return countEnded(call, ids)
    },
    failed: (error) => failedResult(error, waitTool, call),
    protocolError: (of, text) =>
      new ProtocolError(of === 'request' ? codes.InvalidParams : codes.InternalError, text),
  }
  const makeServer = ({ withTasks }: { withTasks: boolean }) => {
    const extensions = withTasks ? { extensions: { [tasksExtension]: {} } } : {}
    const server = new Server(
      { name: 'gpuq', title: 'gpuq', version },
      { capabilities: { tools: {}, ...extensions }, instructions },
    )
    server.setRequestHandler('tools/list', () => ({ tools: describeTools() }))
    server.setRequestHandler('tools/call', ({ params }, context) =>
      withTasks && mayGetTask(params.name, context)
        ? waitAsTask(tasks, params.arguments)
        : callTool(call, params.name, params.arguments),
    )
    if (withTasks) serveTasks(server, tasks)
    return server
  }
  const parsedBody = leaveOutNullsOfMessage(message)
  if (!(await isLegacyRequest(request, parsedBody))) {
    // The tools never change, so a subscription would only hold a connection.
    const handler = createMcpHandler(() => makeServer({ withTasks: true }), {
      legacy: 'reject',
      maxSubscriptions: 0,
    })
    return handler.fetch(request, { parsedBody })
  }
  const server = makeServer({ withTasks: false })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody })
  } finally {
    await server.close()
  }
}

/** The tools in the format of the protocol. */
function describeTools() {
  return tools.map(({ name, title, description, input, output, annotations }) => ({
    name,
    title,
    description,
    inputSchema: toModelSchema(input, 'input'),
    outputSchema: toModelSchema(output, 'output'),
    annotations: { title, ...annotations, openWorldHint: false },
  }))
}

/**
 * Runs a tool. Errors of the tool are part of its result, so that the model can read and fix them; only malformed
 * messages are protocol errors.
 */
async function callTool(call: ToolCall, name: string, input: unknown): Promise<CallToolResult> {
  try {
    return await runTool(call, name, input)
  } catch (error) {
    return failedResult(error, name, call)
  }
}

function toolNamed(name: string) {
  const tool = tools.find((one) => one.name === name || one.formerName === name)
  if (!tool) throw noSuchTool(name)
  return tool
}

async function runTool(call: ToolCall, name: string, input: unknown): Promise<CallToolResult> {
  const tool = toolNamed(name)
  requireScope(call.actor, tool.scope)
  const answer = await tool.run(call, input ?? {})
  return { content: contentOf(answer, tool.quotesText === true), structuredContent: answer }
}

const failedResult = (error: unknown, name: string, { signal }: ToolCall): CallToolResult => ({
  content: [{ type: 'text', text: formatError(error, name, signal) }],
  isError: true,
})

const noSuchTool = (name: string) =>
  notFound(
    `There is no tool "${name.slice(0, 64)}". Use one of ${tools.map((tool) => tool.name).join(', ')}.`,
  )

/**
 * Text content for clients that show only text to the model. A log is not JSON-encoded, and each of its lines is quoted. Programs show
 * it on a terminal, which a job must not control: the exact log is in the structured content.
 */
function contentOf(answer: Record<string, unknown>, quotesText: boolean): CallToolResult['content'] {
  const { text, ...rest } = answer
  // Before the JSON: a model reads the first sentence.
  const warnings = Array.isArray(answer.warnings)
    ? answer.warnings.filter((one) => typeof one === 'string')
    : []
  const part = (shown: string) => ({ type: 'text' as const, text: visibleOutput(shown) })
  const json = (value: unknown) => part(JSON.stringify(value))
  if (typeof text === 'string') return [part(quotesText ? quoteLines(text) : text), json(rest)]
  return [...(warnings.length > 0 ? [part(warnings.join('\n'))] : []), json(answer)]
}

/** No line of the text can be taken for words of gpuq. */
const quoteLines = (text: string) => text.replace(/^(?=.)/gm, '> ')

/** What errors name that an agent cannot do, and the tools that do the same. */
const replacements: readonly [text: RegExp, instead: string][] = [
  [/\bGET \/api\/(?:jobs|groups)(?![/\w])/g, 'ListGPUJobs'],
  [/\bGET \/api\/budgets(?![/\w])/g, 'GetGPUBudget'],
  [/\bGET \/api\/(?:environments|cluster)(?![/\w])/g, 'ViewGPUCluster'],
  [/\bPOST \/api\/groups(?![/\w])/g, 'SubmitGPUJobs'],
  [/\b(?:GET|POST|PUT|PATCH|DELETE) \/(?:api|queue)\/[\w/-]+/g, 'the command `gpuq`'],
  [/, create this one on the page Projects,/g, ''],
  [/\bIdempotency-Key\b/g, 'idempotency_key'],
]

/** An agent calls tools: an error names the next one, and no request or page that the agent cannot use. */
export const nameTools = (text: string): string =>
  replacements.reduce((shown, [what, instead]) => shown.replace(what, instead), text)

/** Formats an error with all of its details, so that the model can fix everything at once. */
function formatError(caught: unknown, name: string, signal: AbortSignal): string {
  const error = clientLeft(caught, signal) ?? caught
  if (!(error instanceof GpuqError)) {
    const reference = uuidv7()
    logger.error({ err: error, reference, tool: name }, 'tool failed')
    return internalError(reference).message
  }
  const more = error.errors?.slice(1) ?? []
  return nameTools([error.message, ...more.map(({ path, message }) => `${path}: ${message}`)].join('\n'))
}
