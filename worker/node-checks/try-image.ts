import { withTimeout } from '@/lib/async/sleep'
import { logger } from '@/lib/logger'
import {
  clearTestContainers,
  runTestContainer,
  type TestHost,
  type TestProgram,
} from '../node/test-container'
import { RuntimeFault } from '../runtime/runtime'
import { imageProgram, parseGpuResults, parseImageContent } from './image-program'
import type { GpuRun, ImageFacts, SmiFacts } from './judge-gpus'
import { hasGpus } from './judge-gpus'

const timeoutMs = 2 * 60_000
/** The program waits up to 90 seconds for each GPU. */
const timeoutPerGpuMs = 100_000
/** The driver needs hundreds of MiB for its own tables. */
const memoryMib = 2048
const shownOutput = 500

/** Runs a container of the image and reads what it has. Pulls nothing: an image can have many gigabytes. */
export async function tryImage(host: TestHost, image: string | null): Promise<ImageFacts> {
  if (image === null) return { kind: 'unknown', why: 'There is no default environment.' }
  try {
    if (!(await host.runtime.images.has(image))) return { kind: 'missing', image }
  } catch (error) {
    return { kind: 'failed', image, problem: explain(error) }
  }
  const program = { image, code: imageProgram, args: ['image'], memoryMib }
  const tried = await tryProgram(host, program, timeoutMs, parseImageContent)
  return 'problem' in tried
    ? { kind: 'failed', image, problem: tried.problem }
    : { kind: 'ran', image, content: tried.result }
}

/**
 * Runs a CUDA kernel on GPUs in a container of the image.
 * @param freeGpus the UUIDs of the GPUs that nobody uses; null: those that nvidia-smi reports as idle
 */
export async function tryGpus(
  host: TestHost,
  smi: SmiFacts,
  image: ImageFacts,
  freeGpus: readonly string[] | null,
): Promise<GpuRun> {
  if (smi.kind !== 'listed' || !hasGpus(smi)) return { kind: 'not_run', why: 'This node has no NVIDIA GPU.' }
  if (image.kind !== 'ran')
    return { kind: 'not_run', why: 'Not checked: no container of the default image ran.' }
  const gpuUuids = smi.gpus
    .filter(({ uuid, idle }) => (freeGpus === null ? idle : freeGpus.includes(uuid)))
    .map(({ uuid }) => uuid)
  if (gpuUuids.length === 0)
    return { kind: 'not_run', why: 'Not checked: all GPUs are in use. Check again when one is free.' }
  const program = {
    image: image.image,
    code: imageProgram,
    args: ['gpus', ...gpuUuids],
    gpuUuids,
    memoryMib,
  }
  const limit = timeoutMs + gpuUuids.length * timeoutPerGpuMs
  const tried = await tryProgram(host, program, limit, parseGpuResults)
  return 'problem' in tried ? { kind: 'failed', ...tried } : { kind: 'ran', results: tried.result }
}

async function tryProgram<Result>(
  host: TestHost,
  program: TestProgram,
  limitMs: number,
  parse: (output: string) => Result | null,
): Promise<{ result: Result } | { problem: string }> {
  try {
    const ended = await withTimeout(runTestContainer(host, program), limitMs, () => null)
    if (ended === null) return { problem: `It did not end within ${Math.round(limitMs / 1000)} seconds.` }
    const result = parse(ended.output)
    if (result !== null) return { result }
    const end = ended.output.slice(-shownOutput).trim()
    return { problem: `Its program ended with exit code ${ended.exitCode}. ${end}`.trim() }
  } catch (error) {
    return { problem: explain(error) }
  } finally {
    await clearTestContainers(host).catch(() => {
      // The next check removes it.
    })
  }
}

function explain(error: unknown): string {
  if (!(error instanceof RuntimeFault)) logger.error({ err: error }, 'the test container of a check failed')
  return error instanceof Error ? error.message : String(error)
}
