import type { JobConfig } from '../../contract/config/config'
import { splitShellWords } from '../../contract/config/program/shell-words'
import { invalidField } from '../../contract/errors'
import { externalEngine } from '../../engine/external-engine'
import { resolveModels } from './model-table'

/** Returns the models in arguments: `--llm NAME` or `--llm=NAME`. */
export function modelsOfWords(words: readonly string[]): string[] {
  const named = words.flatMap((word, at) => {
    if (word.startsWith('--llm=')) return word.slice('--llm='.length)
    return word === '--llm' ? (words[at + 1] ?? []) : []
  })
  return [...new Set(named)].filter((name) => name !== '')
}

/** Returns the models in a shell command. Shell operators such as `;` end a name. */
export function modelsOfCommand(command: string): string[] {
  const split = splitShellWords(command)
  return split.ok ? modelsOfWords(split.words.map((word) => word.replace(/[;&|()<>].*$/s, ''))) : []
}

/**
 * Adds the GPUs that the most demanding model needs, unless the config sets the GPUs itself. The result is stored, so
 * that a waiting job shows what it waits for. Where GPUs cannot be divided, a model that needs a part of one gets all of it.
 */
export async function withModelRequirements(config: JobConfig): Promise<JobConfig> {
  const { command, args } = config
  const models = command === undefined ? modelsOfWords(args) : modelsOfCommand(command)
  if (config.gpusChosen || models.length === 0) return config
  const milli = await resolveModels(models)
  const gpu_count = Math.ceil(milli / 1000)
  if (config.allowed_gpus !== undefined && config.allowed_gpus.length < gpu_count) {
    throw invalidField('allowed_gpus', `names fewer GPUs than the job's model needs (${gpu_count})`)
  }
  const divides = milli < 1000 && (externalEngine()?.dividesGpus() ?? true)
  return { ...config, gpu_count, gpu_fraction: divides ? milli / 1000 : undefined }
}
