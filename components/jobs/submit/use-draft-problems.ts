import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { environmentsQuery } from '@/components/queries/queries'
import type { FieldError } from '@/lib/contract/errors'
import type { EnvironmentChoice } from '../editor/config-field'
import type { Problem } from '../editor/problems'
import { findConfigProblems, withPositions } from './config-problems'
import { commandOf, type Draft } from './draft'

export interface DraftProblems {
  config: readonly FieldError[]
  code: readonly Problem[]
  /** The server would reject the draft. */
  blocking: boolean
  environments: readonly EnvironmentChoice[]
}

interface ProblemSources {
  handle: string
  /** The server's answer to this draft. */
  serverErrors: readonly FieldError[] | undefined
  /** After the first attempt to submit, an empty program is a problem. */
  submitted: boolean
}

const noProblems: readonly Problem[] = []
const missingCode: readonly Problem[] = [{ line: 1, message: 'write a program here, or drop a .py file' }]

/** All problems of a draft. */
export function useDraftProblems(
  { code, config }: Draft,
  { handle, serverErrors, submitted }: ProblemSources,
): DraftProblems {
  const { data } = useQuery(environmentsQuery())
  const empty = code.trim() === ''
  const environments = useMemo(() => data?.filter(({ enabled }) => enabled), [data])
  // Deferred, so that checking does not slow down typing.
  const settled = useDeferredValue(config)
  const found = useMemo(
    () =>
      findConfigProblems(settled, {
        handle,
        environments: environments?.map(({ name }) => name),
        hasProgram: !empty,
      }),
    [settled, handle, environments, empty],
  )
  const all = useMemo(() => {
    const serverConfigErrors = serverErrors?.filter(({ path }) => path !== 'code') ?? []
    return serverConfigErrors.length === 0 ? found : [...found, ...withPositions(config, serverConfigErrors)]
  }, [found, serverErrors, config])
  const serverCodeErrors = useMemo(
    () => serverErrors?.filter(({ path }) => path === 'code').map(({ message }) => ({ line: 1, message })),
    [serverErrors],
  )
  const missing = empty && commandOf(config) === null
  return {
    config: all,
    code: missing && submitted ? missingCode : (serverCodeErrors ?? noProblems),
    blocking: missing || found.length > 0,
    environments: environments ?? [],
  }
}
