import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ContainerRuntime } from '../container-runtime'
import type { ContainerRef, Exit, OutputChunk, TaskContainer } from '../runtime'

/** The image for tests: that of the default environment. */
export const testImage = 'gpuq/python:2'

interface Ran {
  stdout: string
  stderr: string
  exit: Exit
}

/** Creates tasks from sources, runs them on a runtime, and removes everything afterwards. */
export class RuntimeBench<Runtime extends ContainerRuntime = ContainerRuntime> {
  private readonly directories: string[] = []

  constructor(
    readonly runtime: Runtime,
    readonly nodeId: string = `test-${randomUUID()}`,
  ) {}

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

  /** Creates the container of a task. */
  create(task: TaskContainer): Promise<ContainerRef> {
    return this.runtime.create(task)
  }

  async cleanUp(): Promise<void> {
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
