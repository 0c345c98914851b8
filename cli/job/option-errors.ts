import type { ConfigKey } from '@/lib/contract/config/schema'
import { GpuqError } from '@/lib/contract/errors'
import { ProblemError } from '@/lib/http/client/problem'
import { flagOf } from '../declare/command'
import { quoted } from '../declare/values'

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
    throw error instanceof ProblemError ? nameOptions(error, flags) : error
  }
}

function nameOptions(error: ProblemError, flags: Partial<Record<string, string>>): Error {
  if (error.code === 'never_fits') return nameNearest(error, flags)
  if (error.code !== 'invalid_fields' || error.errors.length === 0) return error
  const errors = error.errors.map(({ path, message }) => {
    const [key = '', ...rest] = path.split('.')
    const option = flags[key] ?? flagOf(key)
    // A key that no option sets keeps its name.
    return { path: option === undefined ? path : [option, ...rest].join(' '), message }
  })
  const [first, ...more] = errors
  if (first && more.length === 0) {
    return new GpuqError('invalid_fields', `${first.path}: ${first.message}`, { cause: error })
  }
  return new GpuqError('invalid_fields', 'Correct these options:', { errors, cause: error })
}

/** The same sentence, and the options of the nearest request that fits. */
function nameNearest(error: ProblemError, flags: Partial<Record<string, string>>): Error {
  const changes = Object.entries(error.nearest ?? {})
  if (changes.length === 0) return error
  const options = changes.map(([key, value]) => {
    const option = flags[key] ?? flagOf(key) ?? key
    return value === null ? `no ${option}` : `${option} ${quoted(String(value))}`
  })
  const errors = [{ path: 'Use', message: options.join(', ') }]
  return new GpuqError('never_fits', error.message, { errors, cause: error })
}
