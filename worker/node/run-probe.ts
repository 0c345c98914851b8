import { sleep, unlessAborted } from '@/lib/async/sleep'
import { timeLimit } from '@/lib/async/time-limit'
import { dueProbe, type Probe, recordProbe } from '@/lib/cluster/nodes/quarantine-probe'
import { logger } from '@/lib/logger'
import { RuntimeFault } from '../runtime/runtime'
import type { NodeContext } from './node-context'
import { clearTestContainers, runTestContainer, type TestHost } from './test-container'
import { tryTo } from './try-to'

/** Long enough to pull a large image. */
const timeoutMs = 15 * 60_000
/** How often a node checks whether its probe is due. */
const intervalMs = 5_000
const passed = 'gpuq probe passed'
const shownOutput = 2_000

/** The toolkit mounts nvidia-smi if the container has a GPU; it fails if the GPU cannot be used. */
const code = `
import shutil, subprocess, sys
if len(sys.argv) > 1 and shutil.which("nvidia-smi"):
    subprocess.run(["nvidia-smi", "-L"], check=True, timeout=60)
print("${passed}")
`

const testHost = ({ runtime, tasksDirectory, lease }: NodeContext): TestHost => ({
  runtime,
  directory: `${tasksDirectory}.probe`,
  nodeId: `probe-${lease.nodeId}`,
})

/** A quarantined node tests itself, unless it accepts no tasks anyway. */
export async function keepProbing(
  node: NodeContext,
  isClosed: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  await tryTo('remove probe containers', () => clearProbes(node))
  while (!signal.aborted) {
    if (!isClosed()) await tryTo('probe', () => probeIfDue(node, signal))
    await sleep(intervalMs, signal)
  }
}

/** Tests the node if its probe is due, and records the result. */
async function probeIfDue(node: NodeContext, signal: AbortSignal): Promise<void> {
  const probe = await dueProbe(node.lease)
  if (!probe) return
  logger.info('this node is quarantined; testing it')
  const error = await runProbe(node, probe, signal)
  if (error !== undefined) await recordProbe(node.lease, probe, error)
}

/**
 * Runs a small program in a container, like a job: image, files, limits and one GPU if there is a free one. Returns
 * why that failed, null if it worked, and undefined if `signal` was aborted first.
 */
async function runProbe(
  node: NodeContext,
  probe: Probe,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  const deadline = timeLimit(timeoutMs, signal)
  try {
    await clearProbes(node)
    const result = await unlessAborted(tryProgram(testHost(node), probe), deadline)
    if (signal.aborted) return undefined
    return result === null ? `It did not end within ${timeoutMs / 60_000} minutes.` : result.problem
  } catch (error) {
    if (error instanceof RuntimeFault) return error.message
    logger.error({ err: error }, 'the probe of this node failed')
    return 'The node could not run it. See the log of its worker.'
  } finally {
    await clearProbes(node).catch((error: unknown) => {
      logger.warn({ err: error }, 'could not remove a probe container; the next probe removes it')
    })
  }
}

/** Removes what a probe left, also one of an earlier worker. */
function clearProbes(node: NodeContext): Promise<void> {
  return clearTestContainers(testHost(node))
}

async function tryProgram(host: TestHost, { image, gpuUuid }: Probe): Promise<{ problem: string | null }> {
  await host.runtime.ensureImage(image)
  const { exitCode, output } = await runTestContainer(host, {
    image,
    code,
    memoryMib: 512,
    ...(gpuUuid === null ? {} : { args: ['gpu'], gpuUuids: [gpuUuid] }),
  })
  if (exitCode === 0 && output.includes(passed)) return { problem: null }
  const end = output.slice(-shownOutput).trim()
  return { problem: `Its program ended with exit code ${exitCode}. ${end}`.trim() }
}
