import type { ConfigKey } from '@/lib/contract/config/schema'
import { GpuqError } from '@/lib/contract/errors'
import { adviseNearest } from '@/lib/contract/submission/nearest'
import { ProblemError } from '@/lib/http/client/problem'
import { flagOf } from '../declare/config-option'
import { quoted } from '../declare/values'

/** Finds the option that sets a field of the request, as people type it. */
type FindOption = (field: string) => string | undefined

/**
 * Runs a submission whose config was made from options. If the server refuses keys of the config, the error names their
 * options, because the user wrote no file.
 * @param flags the options of a command whose options have other names.
 */
export async function withOptionErrors<T>(
  submit: () => Promise<T>,
  flags: Partial<Record<ConfigKey, string>> = {},
): Promise<T> {
  try {
    return await submit()
  } catch (error) {
    const find = (key: string) => (flags as Partial<Record<string, string>>)[key] ?? flagOf(key)
    throw error instanceof ProblemError ? nameConfigOptions(error, find) : error
  }
}

function nameConfigOptions(error: ProblemError, find: FindOption): Error {
  if (error.code === 'never_fits' && error.nearest !== undefined) return nameNearest(error, find)
  const hasFields = ['invalid_fields', 'never_fits'].includes(error.code) && error.errors.length > 0
  return hasFields ? nameFields(error, find) : nameKeys(error, find)
}

/** An error of the server with the options of a command in the place of the fields that it refuses, if one of them is set by an option. */
export function nameOptions(error: unknown, find: FindOption): unknown {
  const isNamed =
    error instanceof ProblemError &&
    error.code === 'invalid_fields' &&
    error.errors.some(({ path }) => nameOf(path, find) !== path)
  return isNamed ? nameFields(error, find) : error
}

function nameFields(error: ProblemError, find: FindOption): GpuqError {
  const code = error.code === 'never_fits' ? 'never_fits' : 'invalid_fields'
  const errors = error.errors.map(({ path, message }) => ({
    path: nameOf(path, find),
    message: withOptions(message, find),
  }))
  const [first, ...more] = errors
  if (first && more.length === 0) {
    return new GpuqError(code, `${first.path}: ${first.message}`, { cause: error })
  }
  return new GpuqError(code, 'Correct these options:', { errors, cause: error })
}

/** `--env RANK` for `env.RANK`, `--retry-on` for `retry_on.0`. A field that no option sets keeps its name. */
function nameOf(path: string, find: FindOption): string {
  const fields = path.split('.')
  const at = fields.findIndex((field) => find(field) !== undefined)
  if (at === -1) return path
  const isName = (field: string) => !/^\d+$/.test(field)
  return [find(fields[at] ?? ''), ...fields.slice(at + 1).filter(isName)].join(' ')
}

/** The same sentence, and the options of the nearest request that fits. */
function nameNearest(error: ProblemError, find: FindOption): Error {
  const { nearest = {} } = error
  const options = Object.entries(nearest).map(([key, value]) => {
    const option = find(key) ?? key
    return value === null ? `no ${option}` : `${option} ${quoted(String(value))}`
  })
  const errors = options.length === 0 ? [] : [{ path: 'Use', message: options.join(', ') }]
  const sentence = error.message.replace(adviseNearest(nearest), '')
  return new GpuqError('never_fits', withOptions(sentence, find), { errors, cause: error })
}

/** The same error with options in its sentence. */
function nameKeys(error: ProblemError, find: FindOption): ProblemError {
  const detail = withOptions(error.message, find)
  if (detail === error.message) return error
  const { status, code, errors, nearest, jobs, retryAfter } = error
  return new ProblemError({ status, code, detail, errors, nearest, jobs, retryAfter, cause: error })
}

/** A sentence about config keys as one about the options that set them. A limit may have the name of a key: it keeps its name. */
function withOptions(text: string, find: FindOption): string {
  return text
    .replaceAll(
      /(?<!\blimit )\b[a-z]+(?:_[a-z]+)+\b(?:: true)?/g,
      (named) => find(named.replace(': true', '')) ?? named,
    )
    .replaceAll('this key', 'this option')
}
