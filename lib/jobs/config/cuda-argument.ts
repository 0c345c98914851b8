const option = '--cuda'

/**
 * The arguments with `--cuda` naming the GPUs given, as the container numbers them: from 0, `0,1` for two. What was there
 * is replaced where it stood, else it comes last, but before `--`: what follows that is no option. Without GPUs there is
 * no `--cuda`.
 */
export function withCudaArgument(args: readonly string[], gpus: number): string[] {
  const end = args.indexOf('--')
  const options = end < 0 ? args : args.slice(0, end)
  const rest = end < 0 ? [] : args.slice(end)
  const given = gpus === 0 ? [] : [option, Array.from({ length: gpus }, (_, index) => index).join(',')]
  const { kept, at } = withoutCuda(options)
  return [...kept.slice(0, at), ...given, ...kept.slice(at), ...rest]
}

/** The options without any `--cuda`, and where the first one stood; their end where there was none. */
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

/** `-1` is a value, as is a word without a dash; another option is none. */
function isValue(word: string | undefined): boolean {
  return word !== undefined && (!word.startsWith('-') || /^-\d/.test(word))
}
