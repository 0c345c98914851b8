import { invalidRequest } from '@/lib/contract/errors'
import { parseInteger, parseNumber } from '../declare/values'
import { isGpuList, maxPriority } from './jobs-file'

/** Parsers for the options of commands that serve this machine. */

export function parseShare(text: string): number {
  const number = parseNumber(text)
  if (number >= 0 && number <= 1) return number
  throw invalidRequest(`"${text}" must be from 0 to 1, such as 0.8.`)
}

/** Parses an interval between two checks. */
export function parseSeconds(text: string): number {
  const number = parseNumber(text)
  if (number >= 0.1 && number <= 86_400) return number
  throw invalidRequest(`"${text}" must be from 0.1 to 86400 seconds.`)
}

/** Parses the priority of a jobs file's line. Unlike in a config, lower numbers start first. */
export function parseLinePriority(text: string): number {
  const number = parseInteger(text)
  if (Math.abs(number) <= maxPriority) return number
  throw invalidRequest(
    `The priority must be from -${maxPriority} to ${maxPriority}; lower numbers start first.`,
  )
}

export function parseGpus(text: string): string {
  const list = text.replace(/\s+/g, '')
  if (list === '' || isGpuList(list)) return list
  throw invalidRequest(`"${text}" is not a list of GPUs. Write numbers and ranges, such as 0-3,5.`)
}
