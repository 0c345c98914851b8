import { hostname } from 'node:os'
import { z } from 'zod'
import { readJobNetworks } from '../contract/job-network'
import { parseWorkspaces } from '../contract/workspaces'
import { parseAddressRanges } from './address-ranges'

/** true or false. */
export const flag = z.stringbool()

export const workspaces = z.string().transform((text, context) => {
  const parsed = parseWorkspaces(text)
  if (parsed.ok) return parsed.workspaces
  context.addIssue({ code: 'custom', message: parsed.message })
  return z.NEVER
})

export const jobNetworks = z.string().superRefine((range, context) => {
  try {
    readJobNetworks(range)
  } catch (error) {
    context.addIssue({ code: 'custom', message: messageOf(error) })
  }
})

/** Names of options of a program, separated by commas. */
export const optionNames = z.string().transform((text, context) => {
  const names = text.split(',').map((name) => name.trim())
  if (names.every((name) => /^--[a-z][a-z0-9-]*$/.test(name))) return names
  context.addIssue({
    code: 'custom',
    message: 'must be names of options, separated by commas, such as "--network,--labels"',
  })
  return z.NEVER
})

export const addressRanges = z.string().transform((text, context) => {
  try {
    return parseAddressRanges(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: messageOf(error) })
    return z.NEVER
  }
})

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'is invalid'
}

/** The host's name, in the characters that the name of a node may have. */
export function nodeName(): string {
  const name = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
  return name || 'node'
}
