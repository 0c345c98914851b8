import * as z from 'zod'
import { readBlock } from './job-network'

/** IPv4 ranges outside the public internet: this host, private, link-local, shared, reserved, and multicast. */
export const nonPublicRanges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
] as const

/** A shorter prefix would allow so much that it can only be a mistake. */
const minimumBits = 8

/**
 * Reads an admin's list of IPv4 ranges, such as `10.1.0.0/16, 10.2.0.7/32`.
 * @throws Error with a sentence that says what to change.
 */
export function readRanges(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(readRange)
}

function readRange(text: string): string {
  const { first, bits } = readBlock(text)
  if (bits < minimumBits) throw new Error(`must be ranges of /${minimumBits} to /32, which ${text} is not`)
  if (first % 2 ** (32 - bits) !== 0)
    throw new Error(`must be ranges that begin where they say: ${text} begins elsewhere`)
  return text
}

/** The same as a setting. */
export const ipRanges = z.string().transform((text, context) => {
  try {
    return readRanges(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is invalid' })
    return z.NEVER
  }
})
