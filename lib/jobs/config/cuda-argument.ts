const option = '--cuda'

/**
 * Sets `--cuda` to the job's GPUs as the container numbers them: `0,1` for two. Replaces an existing `--cuda` in its
 * position; otherwise adds it at the end of the options, before `--`. Without GPUs, removes it.
 */
export function withCudaArgument(args: readonly string[], gpus: number): string[] {
  const end = args.indexOf('--')
  const options = end < 0 ? args : args.slice(0, end)
  const rest = end < 0 ? [] : args.slice(end)
  const given = gpus === 0 ? [] : [option, Array.from({ length: gpus }, (_, index) => index).join(',')]
  const { kept, at } = withoutCuda(options)
  return [...kept.slice(0, at), ...given, ...kept.slice(at), ...rest]
}

/** Removes every `--cuda`. `at` is the position of the first one, or the end if there was none. */
function withoutCuda(options: readonly string[]): { kept: string[]; at: number } {
  const kept: string[] = []
  let at: number | null = null
  for (let index = 0; index < options.length; index++) {
    const word = options[index] ?? ''
    if (word !== option && !word.startsWith(`${option}=`)) {
      kept.push(word)
      continue
    }
    at ??= kept.length
    if (word === option && isValue(options[index + 1])) index += 1
  }
  return { kept, at: at ?? kept.length }
}

/** A word without a dash is a value, and so is `-1`. Another option is not. */
function isValue(word: string | undefined): boolean {
  return word !== undefined && (!word.startsWith('-') || /^-\d/.test(word))
}
