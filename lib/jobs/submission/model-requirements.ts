import type { JobConfig } from '../../contract/config/config'
import { splitShellWords } from '../../contract/config/shell-words'
import { GpuqError } from '../../contract/errors'
import { resolveModels } from './model-table'

/** The models that words name: `--llm NAME` or `--llm=NAME`. */
export function modelsOfWords(words: readonly string[]): string[] {
  const named = words.flatMap((word, at) => {
    if (word.startsWith('--llm=')) return word.slice('--llm='.length)
    return word === '--llm' ? (words[at + 1] ?? []) : []
  })
  return [...new Set(named)].filter((name) => name !== '')
}

/** The models that a shell's command names. What ends a word for a shell, such as `;`, ends a name. */
export function modelsOfCommand(command: string): string[] {
  const split = splitShellWords(command)
  return split.ok ? modelsOfWords(split.words.map((word) => word.replace(/[;&|()<>].*$/s, ''))) : []
}

/**
 * The config with the GPUs that its models need, unless it says itself how many it takes: the most demanding of them
 * decides. It is stored so, because what waits must show what it waits for.
 */
export async function withModelRequirements(config: JobConfig): Promise<JobConfig> {
  const { command, args } = config
  const models = command === undefined ? modelsOfWords(args) : modelsOfCommand(command)
  if (config.gpusChosen || models.length === 0) return config
  const milli = await resolveModels(models)
  const gpu_count = Math.ceil(milli / 1000)
  if (config.allowed_gpus !== undefined && config.allowed_gpus.length < gpu_count) {
    const message = `names fewer GPUs than the job's model needs (${gpu_count})`
    throw new GpuqError('invalid_fields', `allowed_gpus: ${message}`, {
      errors: [{ path: 'allowed_gpus', message }],
    })
  }
  return { ...config, gpu_count, gpu_fraction: milli < 1000 ? milli / 1000 : undefined }
}
