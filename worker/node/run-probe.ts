import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessAborted } from '@/lib/async/sleep'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { Probe } from '@/lib/cluster/nodes/quarantine-probe'
import { logger } from '@/lib/logger'
import { RuntimeFault, type TaskContainer } from '../runtime/runtime'
import type { TaskSettings } from './task/task-settings'

/** Long enough to pull a large image. */
const timeoutMs = 15 * 60_000
const passed = 'gpuq probe passed'
const maxOutput = 2_000

/** The toolkit mounts nvidia-smi if the container has a GPU; it fails if the GPU cannot be used. */
const program = `
import shutil, subprocess, sys
if len(sys.argv) > 1 and shutil.which("nvidia-smi"):
    subprocess.run(["nvidia-smi", "-L"], check=True, timeout=60)
print("${passed}")
`

type ProbeHost = Pick<TaskSettings, 'runtime' | 'tasksDirectory'> & { lease: Lease }

/** Probe containers have a node of their own, so that the reconciler does not remove them as orphans. */
const probeNode = ({ nodeId }: Lease) => `probe-${nodeId}`
const probeDirectory = ({ tasksDirectory }: ProbeHost) => `${tasksDirectory}.probe`

/**
 * Runs a small program in a container, like a job: image, files, limits and one GPU if there is a free one. Returns
 * why that failed, null if it worked, and undefined if `signal` was aborted first.
 */
export async function runProbe(
  host: ProbeHost,
  probe: Probe,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    await clearProbes(host)
    const result = await unlessAborted(tryProgram(host, probe), deadline)
    if (signal.aborted) return undefined
    return result === null ? `It did not end within ${timeoutMs / 60_000} minutes.` : result.problem
  } catch (error) {
    if (error instanceof RuntimeFault) return error.message
    logger.error({ err: error }, 'the probe of this node failed')
    return 'The node could not run it. See the log of its worker.'
  } finally {
    await clearProbes(host).catch((error: unknown) => {
      logger.warn({ err: error }, 'could not remove a probe container; the next probe removes it')
    })
  }
}

/** Removes what a probe left, also one of an earlier worker. */
export async function clearProbes(host: ProbeHost): Promise<void> {
  const containers = await host.runtime.list(probeNode(host.lease))
  await Promise.all(containers.map((container) => host.runtime.remove(container)))
  await rm(probeDirectory(host), { recursive: true, force: true })
}

async function tryProgram(host: ProbeHost, probe: Probe): Promise<{ problem: string | null }> {
  const { runtime } = host
  const directory = probeDirectory(host)
  await mkdir(directory, { recursive: true, mode: 0o755 })
  await writeFile(join(directory, 'solution.py'), program, { mode: 0o644 })
  await runtime.ensureImage(probe.image)
  const container = await runtime.create(containerOf(host.lease, probe, directory))
  let output = ''
  for await (const { bytes } of await runtime.start(container))
    output = (output + bytes.toString()).slice(-maxOutput)
  const { exitCode } = await runtime.wait(container)
  if (exitCode === 0 && output.includes(passed)) return { problem: null }
  return { problem: `Its program ended with exit code ${exitCode}. ${output.trim()}`.trim() }
}

function containerOf(lease: Lease, { image, gpuUuid }: Probe, directory: string): TaskContainer {
  const id = `probe-${randomUUID()}`
  return {
    jobId: id,
    taskId: id,
    attempt: 1,
    rank: 0,
    nodeId: probeNode(lease),
    image,
    command: ['python', '-u', '/job/solution.py', ...(gpuUuid === null ? [] : ['gpu'])],
    env: {},
    directory,
    runName: null,
    results: null,
    workspace: null,
    checkpoints: null,
    gpuUuids: gpuUuid === null ? [] : [gpuUuid],
    simulated: false,
    cpuMilli: 1000,
    memoryMib: 512,
    network: 'none',
    tty: false,
  }
}
