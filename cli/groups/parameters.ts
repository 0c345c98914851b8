import { invalidRequest } from '@/lib/contract/errors'

type Value = string | number
/** The values of a parameter, as `matrix` of a config has them. */
type Values =
  | Value[]
  | { from: number; to: number; step?: number }
  | { uniform: number[] }
  | { log_uniform: number[] }

const number = String.raw`-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`
const rangeForm = new RegExp(String.raw`^(${number})\.\.(${number})(?::(${number}))?$`)
const distributionForm = new RegExp(
  String.raw`^(uniform|log_uniform)\(\s*(${number})\s*,\s*(${number})\s*\)$`,
)

/** Reads `lr=0.1,0.01`, `seed=1..5`, `width=0..100:25` and `lr=log_uniform(0.0001,0.1)`. The server checks the names. */
export function readParameters(texts: readonly string[]): Record<string, Values> {
  const matrix: Record<string, Values> = {}
  for (const text of texts) {
    const at = text.indexOf('=')
    const name = text.slice(0, at)
    const values = text.slice(at + 1)
    if (at < 1 || values === '')
      throw invalidRequest(
        `--param "${text}" has no values. Write NAME=VALUES, such as lr=0.1,0.01 or seed=1..5.`,
      )
    if (Object.hasOwn(matrix, name))
      throw invalidRequest(`--param ${name} is given twice. Write all its values into one.`)
    matrix[name] = readValues(values)
  }
  return matrix
}

function readValues(text: string): Values {
  const range = rangeForm.exec(text)
  if (range) {
    const [, from, to, step] = range
    return { from: Number(from), to: Number(to), ...(step !== undefined && { step: Number(step) }) }
  }
  const distribution = distributionForm.exec(text)
  if (distribution) {
    const [, kind, from, to] = distribution
    const between = [Number(from), Number(to)]
    return kind === 'uniform' ? { uniform: between } : { log_uniform: between }
  }
  return text.split(',').map(readValue)
}

/** A number whose text would change stays a text, so that the program gets 0.10 and 007 as they were typed. */
function readValue(text: string): Value {
  return text !== '' && String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text
}

/** Reads `min:val_loss`. */
export function readObjective(text: string): { metric: string; mode: string } {
  const [, mode, metric] = /^(min|max):(.+)$/.exec(text) ?? []
  if (mode === undefined || metric === undefined)
    throw invalidRequest(
      `--objective "${text}" is no objective. Write min:METRIC or max:METRIC, such as min:val_loss.`,
    )
  return { metric, mode }
}
