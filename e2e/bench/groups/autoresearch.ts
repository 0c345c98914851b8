import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import pg from 'pg'
import type { System } from '../../system/start-system'
import { bearer } from '../client'
import { type Figures, figuresOf } from '../measure'

const agents = 20
export const researchGpus = 16
const experimentS = 10
/** One of so many experiments fails, and its agent asks why. */
const failsEvery = 5
/** The starts of the first and the ends of the last experiments are left out. */
const edgeS = 1.5 * experimentS

interface ResearchFigures {
  experiments: number
  /** The share of the GPUs' time in which they were inside a program. */
  gpuShare: number
  /** What the tools answered for one experiment, in tokens of four characters. */
  tokens: Figures
}

/**
 * Agents that run one experiment after the other, each a program that sleeps: they submit it, wait for it, read its metric, and ask
 * why it failed. They think for no time, so what is lost is lost by gpuq.
 */
export async function benchAutoresearch(system: System, seconds: number): Promise<ResearchFigures> {
  const until = performance.now() + seconds * 1000
  const tokens = (
    await Promise.all(Array.from({ length: agents }, (_, agent) => research(system, agent, until)))
  ).flat()
  const spans = await readSpans(system)
  const begins = spans.map(([began]) => began)
  const [from, to] = [Math.min(...begins) + edgeS, Math.max(...begins)]
  const inside = spans.reduce(
    (sum, [began, ended]) => sum + Math.max(0, Math.min(ended, to) - Math.max(began, from)),
    0,
  )
  return {
    experiments: spans.length,
    gpuShare: inside / (researchGpus * (to - from)),
    tokens: figuresOf(tokens),
  }
}

/** Runs the loop of one agent. Returns the tokens of the answers of each of its experiments. */
async function research(system: System, agent: number, until: number): Promise<number[]> {
  const client = new Client({ name: `agent ${agent}`, version: '1' })
  const url = new URL(`${system.url}/api/mcp`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: bearer(system) } }))
  const used: number[] = []
  for (let experiment = 0; performance.now() < until; experiment++) {
    let characters = 0
    const use = async <Answer>(name: string, input: Record<string, unknown>): Promise<Answer> => {
      const { structuredContent, isError, content } = await client.callTool({ name, arguments: input })
      const text = (content as { text?: string }[]).map((part) => part.text ?? '').join('')
      if (isError) throw new Error(`${name}: ${text}`)
      characters += text.length
      return structuredContent as Answer
    }
    const fails = (agent + experiment) % failsEvery === 0
    const loss = 1 / (1 + agent + experiment)
    const program = `began=$(date +%s.%N); sleep ${experimentS}; echo "{\\"loss\\": ${loss}, \\"began\\": $began, \\"ended\\": $(date +%s.%N)}"`
    const { job_id } = await use<{ job_id: string }>('CreateGPUJob', {
      name: `agent ${agent} experiment ${experiment}`,
      gpu_count: 1,
      command: fails ? `${program}; python3 -c 'import missing_module'` : program,
      expected_time: 2 * experimentS,
    })
    for (let waiting = 1; waiting > 0; )
      ({ waiting } = await use<{ waiting: number }>('WaitForGPUJobs', { ids: [job_id] }))
    if (fails) await use('DiagnoseGPUJob', { job_id })
    used.push(characters / 4)
  }
  await client.close()
  return used
}

/** When each program began and ended by its own clock, in seconds. */
async function readSpans(system: System): Promise<[began: number, ended: number][]> {
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ began: number; ended: number }>(
      `SELECT (final_metrics->>'began')::float8 AS began, (final_metrics->>'ended')::float8 AS ended FROM jobs WHERE final_metrics ? 'ended'`,
    )
    return rows.map(({ began, ended }) => [began, ended])
  } finally {
    await client.end()
  }
}
