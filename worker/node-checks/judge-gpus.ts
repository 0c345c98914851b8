import { describeOutdated, minimumVersions } from '../runtime/docker/engine-warnings'
import type { GpuResult, ImageContent } from './image-program'
import { failure, type Judgement, notApplicable, ok, warning } from './judgement'

interface ListedGpu {
  index: number
  uuid: string
  model: string
  /** Whether nobody uses it, as far as nvidia-smi reports. */
  idle: boolean
}

/**
 * What nvidia-smi reports. `unused`: gpuq was told to use no real GPU. `absent`: it is not installed; `pciGpus` counts
 * the NVIDIA GPUs that the machine has nevertheless.
 */
export type SmiFacts =
  | { kind: 'unused' }
  | { kind: 'absent'; pciGpus: number }
  | { kind: 'failed'; message: string }
  | { kind: 'listed'; gpus: readonly ListedGpu[]; faults: readonly string[]; driver: string | null }

/** What a container of the default image has, or why none ran. */
export type ImageFacts =
  | { kind: 'unknown'; why: string }
  | { kind: 'missing'; image: string }
  | { kind: 'failed'; image: string; problem: string }
  | { kind: 'ran'; image: string; content: ImageContent }

/** What a container with GPUs reports, or why none ran. */
export type GpuRun =
  | { kind: 'not_run'; why: string }
  | { kind: 'failed'; problem: string }
  | { kind: 'ran'; results: readonly GpuResult[] }

const noGpu = 'Not needed: this node has no NVIDIA GPU.'

export const hasGpus = (smi: SmiFacts): boolean => smi.kind === 'listed' && smi.gpus.length > 0

/** Judges what nvidia-smi reports. */
export function judgeNvidiaSmi(smi: SmiFacts): Judgement {
  if (smi.kind === 'unused')
    return notApplicable('gpuq uses no real GPU of this machine: GPUQ_SIMULATED_GPUS or GPUQ_GPUS says so.')
  if (smi.kind === 'failed')
    return failure(
      `nvidia-smi failed: ${smi.message}.`,
      'Restart the machine or reload the driver. If the kernel was updated, install the driver again. See `dmesg | grep -i nvrm`.',
    )
  if (smi.kind === 'absent') {
    if (smi.pciGpus === 0) return notApplicable('No NVIDIA GPU: the machine has no such device.')
    return warning(
      `The machine has an NVIDIA GPU on its PCI bus, but the worker finds no nvidia-smi. gpuq does not use the GPU.`,
      'Install the NVIDIA driver. With compose, add `-f deploy/compose.nvidia.yaml`. If gpuq shall not use the GPU, set GPUQ_SIMULATED_GPUS.',
    )
  }
  if (smi.faults.length > 0)
    return failure(
      smi.faults.join(' '),
      'gpuq does not use these GPUs. Reset them with `nvidia-smi --gpu-reset -i INDEX` or restart the machine. If the fault returns, the hardware is defective.',
    )
  if (smi.gpus.length === 0) return notApplicable('nvidia-smi lists no GPU.')
  return ok(`It lists ${smi.gpus.map(({ index, model }) => `GPU ${index}: ${model}`).join(', ')}.`)
}

/** Judges the driver: its CUDA version must be at least the major version of the image's CUDA. */
export function judgeDriver(smi: SmiFacts, image: ImageFacts, run: GpuRun): Judgement {
  if (smi.kind !== 'listed' || !hasGpus(smi)) return notApplicable(noGpu)
  const supported = run.kind === 'ran' ? (run.results.find(({ cuda }) => cuda !== null)?.cuda ?? null) : null
  const wanted = image.kind === 'ran' ? (image.content.torch?.cuda ?? null) : null
  if (smi.driver === null)
    return warning(
      'nvidia-smi does not report the version of the driver.',
      'Run `nvidia-smi` on the machine. If it shows no driver version, install the driver again.',
    )
  const found = `Driver ${smi.driver}${supported === null ? '' : `, for CUDA up to ${supported}`}.`
  if (supported !== null && wanted !== null && majorOf(supported) < majorOf(wanted))
    return failure(
      `${found} The default image needs CUDA ${wanted}.`,
      `Update the driver to one for CUDA ${majorOf(wanted)}, or use an image for CUDA ${majorOf(supported)}.`,
    )
  return ok(found)
}

const majorOf = (version: string) => Number.parseInt(version, 10)

/** Judges the NVIDIA container toolkit, which gives containers their GPUs. */
export function judgeToolkit(smi: SmiFacts, version: string | null, run: GpuRun): Judgement {
  if (!hasGpus(smi)) return notApplicable(noGpu)
  const { minimum } = minimumVersions.toolkit
  const outdated = describeOutdated('toolkit', version)
  if (outdated !== null)
    return warning(outdated, `Update the package nvidia-container-toolkit to ${minimum} or later.`)
  if (version !== null) return ok(`NVIDIA container toolkit ${version}.`)
  if (run.kind === 'ran' && run.results.some(({ visible }) => visible))
    return warning(
      'It works, but the worker finds no nvidia-ctk to read its version, for example because the worker itself is in a container.',
      `Run \`nvidia-ctk --version\` on the host. Below ${minimum} it has known container escapes.`,
    )
  return failure('nvidia-ctk is not installed: containers get no GPU.', installToolkit)
}

const installToolkit =
  'Install the package nvidia-container-toolkit, run `nvidia-ctk runtime configure --runtime=docker`, and restart the engine.'

/** Judges whether a container of the default image runs at all. */
export function judgeImage(image: ImageFacts): Judgement {
  if (image.kind === 'unknown') return notApplicable(image.why)
  if (image.kind === 'missing')
    return warning(
      `The image ${image.image} is not on this node. The first job here waits until it is pulled.`,
      `Pull it now (\`docker pull ${image.image}\`), or build gpuq's own with \`node deploy/image/image.mjs\`.`,
    )
  if (image.kind === 'failed')
    return failure(
      `A container of ${image.image} did not run: ${image.problem}`,
      'Correct what the message says. Jobs of the default environment fail here in the same way.',
    )
  return ok(`A container of ${image.image} runs like a job: own user, read-only system, no network.`)
}

/**
 * Judges whether the image has CUDA. If it has torch, the CUDA version that torch was built for decides. Without torch, a
 * CUDA runtime library (libcudart) decides.
 */
export function judgeImageCuda(smi: SmiFacts, image: ImageFacts): Judgement {
  if (image.kind !== 'ran') return notApplicable('Not checked: no container of the default image ran.')
  const { torch, runtime } = image.content
  const cuda = describeCuda(image.content)
  if (cuda !== null) return ok(`${cuda}.`)
  const found =
    torch === null
      ? `${image.image} has neither torch nor a CUDA runtime library.`
      : `${image.image} has torch ${torch.version}, built without CUDA${runtime === null ? '' : `, although it contains ${runtime}`}.`
  if (!hasGpus(smi)) return notApplicable(`${found} This node has no NVIDIA GPU, so jobs need none.`)
  return failure(found, withoutCudaAction)
}

export const withoutCudaAction =
  'Jobs of the default environment cannot compute on the GPUs. Under Environments, set an image with CUDA, such as one based on pytorch/pytorch. `node deploy/image/image.mjs` builds one if a registry answers.'

/** Describes the CUDA of an image; null: it has none. */
export function describeCuda({ torch, runtime }: ImageContent): string | null {
  if (torch !== null) return torch.cuda === null ? null : `torch ${torch.version} for CUDA ${torch.cuda}`
  return runtime === null ? null : `No torch, but the CUDA runtime ${runtime}`
}

/** Judges whether a container sees the GPUs that it gets. */
export function judgeGpuVisible(smi: SmiFacts, run: GpuRun): Judgement {
  if (smi.kind !== 'listed' || !hasGpus(smi)) return notApplicable(noGpu)
  if (run.kind === 'not_run') return notApplicable(run.why)
  if (run.kind === 'failed')
    return failure(`A container with a GPU did not run: ${run.problem}`, installToolkit)
  const invisible = run.results.filter(({ visible }) => !visible)
  if (invisible.length > 0)
    return failure(
      `A container does not see ${namesOf(smi.gpus, invisible)}: ${errorsOf(invisible)}.`,
      actionFor(errorsOf(invisible)),
    )
  return ok(`A container sees ${namesOf(smi.gpus, run.results)}.${describeUntested(smi.gpus, run.results)}`)
}

/** Judges whether a CUDA kernel gives the right result on the GPUs. */
export function judgeGpuCompute(smi: SmiFacts, run: GpuRun): Judgement {
  if (smi.kind !== 'listed' || !hasGpus(smi)) return notApplicable(noGpu)
  if (run.kind === 'not_run') return notApplicable(run.why)
  const visible = run.kind === 'ran' ? run.results.filter((result) => result.visible) : []
  if (visible.length === 0) return notApplicable('Not checked: the container sees no GPU.')
  const failed = visible.filter(({ computed }) => !computed)
  if (failed.length > 0)
    return failure(
      `A CUDA kernel failed on ${namesOf(smi.gpus, failed)}: ${errorsOf(failed)}.`,
      'Pause these GPUs on the cluster page. Reset them with `nvidia-smi --gpu-reset -i INDEX` or restart the machine, then check again. If the fault returns, update the driver or replace the GPU.',
    )
  return ok(
    `A CUDA kernel gave the right numbers on ${namesOf(smi.gpus, visible)}.${describeUntested(smi.gpus, run.kind === 'ran' ? run.results : [])}`,
  )
}

function namesOf(gpus: readonly ListedGpu[], results: readonly GpuResult[]): string {
  return results.map(({ uuid }) => `GPU ${gpus.find((gpu) => gpu.uuid === uuid)?.index ?? uuid}`).join(', ')
}

/** What to do about errors of the CUDA library in a container; the first that fits. */
const actions: readonly (readonly [errors: RegExp, action: string])[] = [
  [
    /libcuda\.so|NO_DEVICE|no device|no error was reported/,
    `${installToolkit} If only some GPUs are missing, restart the machine.`,
  ],
  [
    /SYSTEM_NOT_READY/,
    'Start the service that connects the GPUs of this machine: `systemctl enable --now nvidia-fabricmanager`. It must have the version of the driver.',
  ],
  [
    /DRIVER_MISMATCH|COMPAT_NOT_SUPPORTED/,
    'The driver was updated while an older one is loaded, or the image has CUDA libraries of another driver. Restart the machine. If the error returns, use an image without the package cuda-compat.',
  ],
  [
    /ERROR_UNKNOWN/,
    'Load the module nvidia_uvm: `nvidia-modprobe -u -c 0`. If the error returns, restart the machine.',
  ],
]
const otherwise =
  'The container has the library of the driver, which does not start there. Run a CUDA program on the machine itself. If it works there, look for what the machine denies containers: `dmesg`, AppArmor, SELinux.'

const actionFor = (errors: string) => actions.find(([known]) => known.test(errors))?.[1] ?? otherwise

const errorsOf = (results: readonly GpuResult[]) =>
  [...new Set(results.map(({ error }) => error ?? 'no error was reported'))].join('; ')

function describeUntested(gpus: readonly ListedGpu[], results: readonly GpuResult[]): string {
  const untested = gpus.length - results.length
  return untested === 0 ? '' : ` Not checked, because they are in use: ${untested} of ${gpus.length}.`
}
