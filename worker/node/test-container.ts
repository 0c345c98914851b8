import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContainerRuntime } from '../runtime/container-runtime'
import type { TaskContainer } from '../runtime/runtime'

const maxOutput = 64 * 1024

/** Where the node's worker runs containers that belong to no job. */
export interface TestHost {
  runtime: ContainerRuntime
  /** For the files of a container. Its own directory. */
  directory: string
  /** The `nodeId` of the containers: not the node's own, so that the reconciler does not remove them as orphans. */
  nodeId: string
}

export interface TestProgram {
  image: string
  /** Python. */
  code: string
  args?: string[]
  gpuUuids?: string[]
  memoryMib: number
}

/**
 * Runs a program in a container like a job: files, user, isolation and limits. Returns how it ended, with the end of its
 * output. The caller removes the container with {@link clearTestContainers}.
 * @throws RuntimeFault if the engine cannot run it.
 */
export async function runTestContainer(
  host: TestHost,
  program: TestProgram,
): Promise<{ exitCode: number; output: string }> {
  const { runtime, directory } = host
  const job = jobOf(host)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await mkdir(job, { recursive: true, mode: 0o755 })
  await writeFile(join(job, 'solution.py'), program.code, { mode: 0o644 })
  const container = await runtime.create(containerOf(host, program))
  let output = ''
  for await (const { bytes } of await runtime.start(container))
    output = (output + bytes.toString()).slice(-maxOutput)
  const { exitCode } = await runtime.wait(container)
  return { exitCode, output }
}

/** Removes what test containers left, also those of an earlier worker. */
export async function clearTestContainers({ runtime, directory, nodeId }: TestHost): Promise<void> {
  const containers = await runtime.list(nodeId)
  await Promise.all(containers.map((container) => runtime.remove(container)))
  await rm(directory, { recursive: true, force: true })
}

/** What a container sees at `/job`. */
const jobOf = ({ directory }: Pick<TestHost, 'directory'>) => join(directory, 'job')

function containerOf(
  host: TestHost,
  { image, args = [], gpuUuids = [], memoryMib }: TestProgram,
): TaskContainer {
  const id = `test-${randomUUID()}`
  return {
    jobId: id,
    taskId: id,
    attempt: 1,
    rank: 0,
    nodeId: host.nodeId,
    image,
    command: ['python', '-u', '/job/solution.py', ...args],
    env: {},
    directory: jobOf(host),
    runName: null,
    results: null,
    workingDirectory: null,
    workspace: null,
    checkpoints: null,
    mounts: [],
    gpuUuids,
    simulated: false,
    cpuMilli: 1000,
    memoryMib,
    network: 'none',
    cgroupParent: null,
    tty: false,
    prepare: [],
  }
}
