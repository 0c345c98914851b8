import type { ConfigKey } from '@/lib/contract/config/schema'
import { GpuqError } from '@/lib/contract/errors'
import { adviseNearest } from '@/lib/contract/submission/nearest'
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

type Flags = Partial<Record<string, string>>

function nameOptions(error: ProblemError, flags: Flags): Error {
  if (error.code === 'never_fits' && error.nearest !== undefined) return nameNearest(error, flags)
  if ((error.code !== 'invalid_fields' && error.code !== 'never_fits') || error.errors.length === 0)
    return nameKeys(error, flags)
  const errors = error.errors.map(({ path, message }) => {
    const [key = '', ...rest] = path.split('.')
    // A key that no option sets keeps its name.
    const option = findFlag(key, flags)
    return {
      path: option === undefined ? path : [option, ...rest].join(' '),
      message: withFlags(message, flags),
    }
  })
  const [first, ...more] = errors
  if (first && more.length === 0) {
    return new GpuqError(error.code, `${first.path}: ${first.message}`, { cause: error })
  }
  return new GpuqError(error.code, 'Correct these options:', { errors, cause: error })
}

/** The same sentence, and the options of the nearest request that fits. */
function nameNearest(error: ProblemError, flags: Flags): Error {
  const { nearest = {} } = error
  const options = Object.entries(nearest).map(([key, value]) => {
    const option = findFlag(key, flags) ?? key
    return value === null ? `no ${option}` : `${option} ${quoted(String(value))}`
  })
  const errors = options.length === 0 ? [] : [{ path: 'Use', message: options.join(', ') }]
  const sentence = error.message.replace(adviseNearest(nearest), '')
  return new GpuqError('never_fits', withFlags(sentence, flags), { errors, cause: error })
}

/** The same error with options in its sentence. */
function nameKeys(error: ProblemError, flags: Flags): ProblemError {
  const detail = withFlags(error.message, flags)
  if (detail === error.message) return error
  const { status, code, errors, nearest, jobs, retryAfter } = error
  return new ProblemError({ status, code, detail, errors, nearest, jobs, retryAfter, cause: error })
}

const findFlag = (key: string, flags: Flags) => flags[key] ?? flagOf(key)

/** A sentence about config keys as one about the options that set them. A limit may have the name of a key: it keeps its name. */
function withFlags(text: string, flags: Flags): string {
  return text
    .replaceAll(/(?<!\blimit )\b[a-z]+(?:_[a-z]+)+\b(?:: true)?/g, (named) => {
      const flag = findFlag(named.replace(': true', ''), flags)
      return flag ?? named
    })
    .replaceAll('this key', 'this option')
}
