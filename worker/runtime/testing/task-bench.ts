import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EngineRuntime, type RuntimeOptions } from '../docker/engine-runtime'
import type { ContainerRef, Exit, OutputChunk, TaskContainer } from '../runtime'
import { requestClassOf } from '../spec/warm-spec'

/** The image for tests: that of the default environment. */
export const testImage = 'gpuq/python:1'

interface Ran {
  stdout: string
  stderr: string
  exit: Exit
}

/** Creates tasks from Python sources, runs them on the real engine, and removes everything afterwards. */
export class TaskBench {
  readonly nodeId: string
  readonly runtime: EngineRuntime
  private readonly warm: boolean
  private readonly directories: string[] = []

  constructor({
    nodeId = `test-${randomUUID()}`,
    timeouts,
    warm = false,
    ...options
  }: Partial<RuntimeOptions & { nodeId: string; warm: boolean }> = {}) {
    this.nodeId = nodeId
    this.warm = warm
    this.runtime = new EngineRuntime({
      outputLimitBytes: 8 * 1024 * 1024,
      // Generous, because a busy machine is slow.
      timeouts: { exit: 60_000, kill: 60_000, ...timeouts },
      ...options,
    })
  }

  async task(source: string, changes: Partial<TaskContainer> = {}): Promise<TaskContainer> {
    const directory = await mkdtemp(join(tmpdir(), 'gpuq-task-'))
    this.directories.push(directory)
    await writeFile(join(directory, 'solution.py'), source)
    // mkdtemp creates directories with 0700, but the task's own uid needs access.
    await chmod(directory, 0o755)
    return {
      jobId: randomUUID(),
      taskId: randomUUID(),
      attempt: 1,
      rank: 0,
      nodeId: this.nodeId,
      image: testImage,
      command: ['python3', '-u', '/job/solution.py'],
      env: {},
      directory,
      runName: null,
      workspace: null,
      checkpoints: null,
      mounts: [],
      gpuUuids: [],
      simulated: true,
      cpuMilli: 1000,
      memoryMib: 512,
      network: 'none',
      cgroupParent: null,
      tty: false,
      prepare: [],
      results: null,
      workingDirectory: null,
      ...changes,
    }
  }

  /** Starts a task and resolves when it has printed `ready`; discards the rest of its output. */
  async startUntil(
    source: string,
    ready: string,
    changes: Partial<TaskContainer> = {},
  ): Promise<ContainerRef> {
    return this.startTask(await this.task(source, changes), ready)
  }

  async startTask(task: TaskContainer, ready: string): Promise<ContainerRef> {
    const container = await this.create(task)
    const output = await this.runtime.start(container)
    await new Promise<void>((resolve, reject) => {
      let said = ''
      const read = async () => {
        for await (const { bytes } of output) {
          said += bytes.toString()
          if (said.includes(ready)) resolve()
        }
      }
      read().then(
        () => reject(new Error(`The task ended without printing ${ready}. It printed: ${said}`)),
        reject,
      )
    })
    return container
  }

  /** Runs a task to its end. */
  async run(source: string, changes: Partial<TaskContainer> = {}): Promise<Ran> {
    const container = await this.create(await this.task(source, changes))
    const output = await this.runtime.start(container)
    const [{ stdout, stderr }, exit] = await Promise.all([collect(output), this.runtime.wait(container)])
    await this.runtime.remove(container)
    return { stdout: stdout.toString(), stderr: stderr.toString(), exit }
  }

  /** Creates the container of a task; on a warm bench, one that has waited for it if its class can have one. */
  async create(task: TaskContainer): Promise<ContainerRef> {
    if (!this.warm || requestClassOf(task) === null) return this.runtime.create(task)
    const container = await this.runtime.create({ ...task, warm: await this.runtime.warm.start(task) })
    if (!container.warm) throw new Error('The warm container was not used.')
    return container
  }

  async cleanUp(): Promise<void> {
    const unused = await this.runtime.warm.listWithoutTask(this.nodeId)
    await Promise.all(unused.map((name) => this.runtime.warm.remove({ name })))
    await Promise.all(
      (await this.runtime.list(this.nodeId)).map((container) => this.runtime.remove(container)),
    )
    await this.removeDirectories()
  }

  /** Removes what remains when the engine is no longer used. */
  async removeDirectories(): Promise<void> {
    await Promise.all(this.directories.map((directory) => rm(directory, { recursive: true, force: true })))
  }
}

export async function collect(
  output: AsyncIterable<OutputChunk>,
): Promise<{ stdout: Buffer; stderr: Buffer }> {
  const pieces: Record<OutputChunk['stream'], Buffer[]> = { stdout: [], stderr: [] }
  for await (const { stream, bytes } of output) pieces[stream].push(bytes)
  return { stdout: Buffer.concat(pieces.stdout), stderr: Buffer.concat(pieces.stderr) }
}
