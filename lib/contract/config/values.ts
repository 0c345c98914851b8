import * as z from 'zod'
import { refusePath } from '../archives/archive-paths'
import { describeOddSpace } from '../text/odd-spaces'
import { durationForms, parseDuration } from './durations'
import { isPlainPath } from './host-paths'
import { isPrintable, maxTagCharacters, unprintableInLines } from './label-text'
import { languageOf } from './program/entrypoint'
import { splitShellWords } from './program/shell-words'
import { isReservedVariable } from './reserved-variables'

/** The kinds of value that a config holds. Messages say what to change and never repeat the value. */

const maxSeconds = 30 * 24 * 60 * 60
const maxWords = 256
const maxWordLength = 8192
const maxVariables = 100
const maxGpuIndex = 1023

export const seconds = z
  .number()
  .gt(0, 'must be more than 0 seconds')
  .lte(maxSeconds, `must be at most ${maxSeconds} seconds (30 days)`)

/** Seconds as a number, or a text with a unit: `5m`. */
export const durationWithin = (limits: z.ZodNumber) =>
  z
    .union([z.number(), z.string()], {
      error: ({ input }) =>
        input === undefined || input === null || typeof input === 'number'
          ? undefined
          : `must be ${durationForms}`,
    })
    .transform((value, context) => {
      const parsed = typeof value === 'string' ? parseDuration(value) : value
      if (parsed !== null) return parsed
      const message = describeOddSpace(String(value)) ?? `must be ${durationForms}`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .pipe(limits)

export const duration = durationWithin(seconds)

/** A size that is given as a decimal number. */
export const amount = (least: number, most: number) =>
  z.number().gte(least, `must be at least ${least}`).lte(most, `must be at most ${most}`)

export const count = (least: number, most: number) =>
  z.int('must be a whole number').gte(least, `must be at least ${least}`).lte(most, `must be at most ${most}`)

/** A part of one GPU. */
export const gpuFraction = amount(0.001, 1).refine(isThousandths, 'must have at most three decimals')

/** A line for people. Lists show it, so it has no character that hides, breaks or reverses the text after it. */
export const label = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'is empty: write something or leave the key out')
    .max(most, `must be at most ${most} characters`)
    .refine(isPrintable, 'must be one line without control characters')

/** The longest note that people can write on a job. Like tags and stars, it does not change how the job runs. */
export const maxNoteCharacters = 4_000

/** Lines for people. */
export const note = z
  .string()
  .overwrite((text) => text.replace(/\r\n?/g, '\n'))
  .trim()
  .max(maxNoteCharacters, `must be at most ${maxNoteCharacters} characters`)
  .refine((text) => !unprintableInLines.test(text), 'must be text without control characters')

/** Words to find a job by. */
/** Ends of a program for which `retry_on` may ask for another attempt, beside its exit codes: those that gpuq itself sees. */
const retriedEnds: readonly string[] = ['out_of_memory', 'timeout']

const isRetriable = (value: string) =>
  retriedEnds.includes(value) || (/^[1-9]\d{0,2}$/.test(value) && Number(value) <= 255)

/** Exit codes and {@link retriedEnds}, as texts. */
export const retryOn = z
  .array(
    z
      .union([z.string(), z.int()], { error: 'must be an exit code or a name' })
      .transform(String)
      .pipe(
        z.string().refine(isRetriable, {
          error: `must be an exit code from 1 to 255, ${retriedEnds.join(' or ')}: gpuq sees other failures only in the output, so let the program end with an exit code of its own for them`,
        }),
      ),
  )
  .max(20, 'must have at most 20 entries')

export const tags = z.array(label(maxTagCharacters)).max(20, 'must have at most 20 entries')

/** One line of any text. PostgreSQL does not accept NUL, and terminals execute other control characters. */
export const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^\P{Cc}*$/u, 'remove line breaks and other control characters')

/** Neither arguments of a process nor the database can hold NUL, and half of a surrogate pair is not text. */
export const isStorableText = (text: string) => !text.includes('\0') && !/\p{Surrogate}/u.test(text)

const processText = z
  .string()
  .max(maxWordLength, `must be at most ${maxWordLength} characters`)
  .refine(isStorableText, 'must not hold NUL or half a character')

const maxCommandBytes = 65_536

/** What a shell runs. The kernel takes an argument of at most 128 KiB, counted in bytes. */
export const shellCommand = z
  .string()
  .trim()
  .min(1, 'is empty: write what to run')
  .refine(
    (text) => new TextEncoder().encode(text).length <= maxCommandBytes,
    `must be at most ${maxCommandBytes} bytes`,
  )
  .refine(isStorableText, 'must not hold NUL or half a character')

const argsList = z.array(processText).max(maxWords, `must have at most ${maxWords} entries`)

export const args = z
  .union([argsList, z.string()], {
    error: 'must be a list of texts, or one text that is split as a shell does',
  })
  .transform((value, context) => {
    if (typeof value !== 'string') return value
    const split = splitShellWords(value)
    if (split.ok) return split.words
    context.addIssue({ code: 'custom', message: split.message })
    return z.NEVER
  })
  .pipe(argsList)

const gpuIndices = z
  .array(count(0, maxGpuIndex))
  .min(1, 'names no GPU: leave the key out to allow all')
  .max(maxGpuIndex + 1, 'names too many GPUs')

export const allowedGpus = z
  .union([gpuIndices, z.string()], { error: 'must be a list of GPU numbers, or a text such as "0-3,5"' })
  .transform((value, context) => {
    const indices = typeof value === 'string' ? readRanges(value) : value
    if (indices !== null) return [...new Set(indices)].toSorted((a, b) => a - b)
    context.addIssue({ code: 'custom', message: 'must be GPU numbers and ranges, such as "0-3,5"' })
    return z.NEVER
  })
  .pipe(gpuIndices)

const variableName = z.string().superRefine((name, context) => {
  const message = refuseVariable(name)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

/** Stands for the value of a variable where the reader may not see it. */
export const hiddenValue = '(hidden)'

const variableValue = processText.refine((value) => value !== hiddenValue, {
  error: `is ${hiddenValue}, because you may not see the other user's value: write a value, or remove the variable`,
})

export const variables = z
  .record(variableName, variableValue)
  .refine((env) => Object.keys(env).length <= maxVariables, `must have at most ${maxVariables} variables`)

export const notifyUrl = z
  .string()
  .max(2000, 'must be at most 2000 characters')
  .refine(isPlainWebAddress, 'must be an http:// or https:// address without a user name or password')

/** A bucket, by its registered name or by its name on the S3 server. */
export const bucketName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be the name of a bucket, without s3:// and slashes')

/** An absolute path on the machine that runs the job. */
export const hostPath = z
  .string()
  .max(4096, 'must be at most 4096 characters')
  .refine(isPlainPath, 'must be an absolute path without "..", doubled or trailing slashes')

export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256: 64 digits and letters from a to f')

export const token = z
  .string()
  .trim()
  .min(1, 'is empty: write the token or leave the key out')
  .max(512, 'is too long to be a token')
  .regex(/^[\x21-\x7e]+$/, 'must be one word without spaces')

export function isThousandths(value: number): boolean {
  return Math.abs(value * 1000 - Math.round(value * 1000)) < 1e-9
}

function isPlainWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

function refuseVariable(name: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return 'a variable is named with letters, digits and underscores, and begins with no digit'
  }
  if (name.length > 128) return 'the name of a variable must be at most 128 characters'
  return isReservedVariable(name) ? 'this variable is reserved: choose another name' : null
}

/** Parses `0-3,5` as numbers; null for any other text. */
function readRanges(text: string): number[] | null {
  const numbers: number[] = []
  for (const part of text.split(',')) {
    const match = /^\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?$/.exec(part)
    if (match === null) return null
    const first = Number(match[1])
    const last = Number(match[2] ?? match[1])
    if (first > last || last > maxGpuIndex || numbers.length > maxGpuIndex) return null
    for (let index = first; index <= last; index++) numbers.push(index)
  }
  return numbers
}

export const entrypoint = z.string().superRefine((path, context) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message })
  const why = refusePath(path)
  if (why !== null) refuse(`${why}: write a path in the directory, such as src/train.py`)
  else if (languageOf(path) === null)
    refuse('must be a .py or .sh file: to run another file, use the key command instead')
})
