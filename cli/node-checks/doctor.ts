import { ProblemError } from '@/lib/http/client/problem'
import type { NodeReport } from '@/lib/node-checks/contract'
import { formatWhen } from '../console/format'
import { paint, withoutControls } from '../console/terminal'
import { type Context, print } from '../context'
import { exitCodes } from '../job/exit-code'
import { defaultDataDir, findRoot } from '../local/local-server'
import { runProgram } from '../local/run-program'
import { renderChecks, summarizeChecks } from './render-checks'

interface DoctorOptions {
  json?: boolean
  local?: boolean
  engine?: 'builtin' | 'slurm'
  unixUser?: string
}

/** Prints the checks of all nodes, of this machine, or of Slurm as this machine sees it. Exits with 1 if one failed. */
export async function doctor(
  context: Context,
  { json = false, local = false, engine = 'builtin', unixUser }: DoctorOptions,
): Promise<number> {
  const account = unixUser === undefined ? [] : ['--unix-user', unixUser]
  if (engine === 'slurm') return checkThisMachine(context, json, ['--engine', 'slurm', ...account])
  if (local) return checkThisMachine(context, json, [])
  const reports = await readReports(context)
  await print(context, json, reports, renderReports(context, reports))
  return reports.some(({ failures }) => failures > 0) ? exitCodes.failed : exitCodes.ok
}

/**
 * Runs the checkout's program: without a server, it checks the engine, the disks, the GPUs, the default image and the
 * network rules of this machine.
 */
function checkThisMachine({ env }: Context, json: boolean, args: readonly string[]): Promise<number> {
  const root = findRoot('doctor')
  return runProgram({
    root,
    name: 'doctor',
    args: json ? ['--json', ...args] : args,
    // As under `npm start`: relative paths of variables begin there.
    cwd: root,
    env: { ...env, GPUQ_DATA_DIR: defaultDataDir(env, root) },
  })
}

async function readReports(context: Context): Promise<NodeReport[]> {
  try {
    const client = await context.connect()
    return await client.cluster.nodeReports()
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'unreachable')) throw error
    await context.terminal.err(
      'Without the server, `gpuq doctor --local` checks this machine, if it has a checkout of gpuq: engine, disks, GPUs, default image and network rules.\n',
    )
    throw error
  }
}

function renderReports({ terminal }: Context, reports: readonly NodeReport[]): string {
  if (reports.length === 0) return 'No nodes found. An admin can add one with `gpuq worker`.\n'
  const colours = terminal.outIsTerminal && terminal.coloursWanted
  return reports
    .map((report) => {
      const name = paint(withoutControls(report.name), 'bold', colours)
      return `${name} (node ${report.node_id}, ${report.state}): ${describeReport(report)}\n${renderChecks(report.checks, terminal)}`
    })
    .join('\n')
}

function describeReport({ checked_at, checking, checks }: NodeReport): string {
  if (checked_at === null)
    return checking ? 'its first check runs.' : 'not checked yet. Its worker checks it soon after its start.'
  return `${summarizeChecks(checks)}, checked ${formatWhen(checked_at, Date.now())}${checking ? ', a new check runs' : ''}`
}
