import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { archiveLimitsQuery, environmentsQuery } from '@/components/queries/queries'
import type { FieldError } from '@/lib/contract/errors'
import { onDemand, useOnDemand } from '../../ui/on-demand'
import type { EnvironmentChoice } from '../editor/config-field'
import type { FieldInfos } from '../editor/form-fields'
import type { Problem } from '../editor/problem'
import { usePythonProblems } from '../editor/python/use-python-problems'
import { unfilledKeys, withPositions } from './config-keys'
import type { Directory } from './directory/directory'
import { findDirectoryProblems } from './directory/directory-problems'
import { type Entrypoint, findEntrypoint } from './directory/entrypoint'
import { blankDraft, commandOf, type Draft, mayOmitProgram } from './draft'
import type { OtherDraft } from './other-submission'

export interface DraftProblems {
  /** Why the directory cannot be uploaded or run. */
  directory: readonly string[]
  /** What the job runs; null without a directory. */
  entrypoint: Entrypoint | null
  config: readonly FieldError[]
  /** Errors and warnings. */
  code: readonly Problem[]
  /** The server would reject the draft. */
  blocking: boolean
  /** What the user must still fill in; null if nothing is missing. */
  missing: string | null
  environments: readonly EnvironmentChoice[]
}

interface ProblemSources {
  handle: string
  infos: FieldInfos
  /** Null: the job runs the program of the draft. */
  directory: Directory | null
  /** Null: the draft is one job. */
  other: OtherDraft | null
  /** The server's answer to this draft. */
  serverErrors: readonly FieldError[] | undefined
  /** After the first attempt to submit, an empty program and empty required fields are problems. */
  submitted: boolean
}

/** The check of configs, which is large. An untouched page does not need it. If it cannot be loaded, the server checks alone. */
const configCheck = onDemand(() => import('./config-problems').catch(() => null))

const noProblems: readonly Problem[] = []
const missingCode: readonly Problem[] = [{ line: 1, message: 'write a program here, or drop a .py file' }]

/** All problems of a draft. */
export function useDraftProblems(
  { code, config }: Draft,
  { handle, infos, directory, other, serverErrors, submitted }: ProblemSources,
): DraftProblems {
  const { data } = useQuery(environmentsQuery())
  const { data: limits } = useQuery({ ...archiveLimitsQuery(), enabled: directory !== null })
  const empty = code.trim() === '' || directory !== null
  const environments = useMemo(() => data?.filter(({ enabled }) => enabled), [data])
  // Deferred, so that checking does not slow down typing.
  const settled = useDeferredValue(config)
  const settledCode = useDeferredValue(code)
  const check = useOnDemand(configCheck, settled !== blankDraft.config || !empty || submitted)
  const isLoading = other !== null && other.parts === null
  const findMistakes = other?.parts?.findMistakes
  const unfilled = useMemo(() => unfilledKeys(settled, infos), [settled, infos])
  const found = useMemo(
    () =>
      (isLoading ? null : check)?.findConfigProblems(settled, {
        handle,
        environments: environments?.map(({ name }) => name),
        hasProgram: !empty,
        findMistakes,
      }) ?? unfilled.map((path) => ({ path, message: 'needs a value' })),
    [check, isLoading, findMistakes, settled, handle, environments, empty, unfilled],
  )
  const all = useMemo(() => {
    const serverConfigErrors = serverErrors?.filter(({ path }) => path !== 'code') ?? []
    const shown = submitted ? found : found.filter(({ path }) => !unfilled.some((key) => key === path))
    return serverConfigErrors.length === 0 ? shown : [...shown, ...withPositions(config, serverConfigErrors)]
  }, [found, serverErrors, config, unfilled, submitted])
  const warnings = usePythonProblems(settledCode)
  const codeProblems = useMemo(() => {
    const ofServer = serverErrors?.filter(({ path }) => path === 'code') ?? []
    return [...ofServer.map(({ message }) => ({ line: 1, message })), ...warnings]
  }, [serverErrors, warnings])
  const entrypoint = useMemo(
    () => (directory === null ? null : findEntrypoint(directory, config)),
    [directory, config],
  )
  const directoryProblems = useMemo(
    () => (directory === null ? [] : findDirectoryProblems(directory, limits)),
    [directory, limits],
  )
  const withoutCode = directory === null && empty && commandOf(config) === null && !mayOmitProgram(config)
  return {
    directory: directoryProblems,
    entrypoint,
    config: all,
    code: directory !== null ? noProblems : withoutCode && submitted ? missingCode : codeProblems,
    blocking:
      isLoading ||
      withoutCode ||
      entrypoint?.kind === 'missing' ||
      directoryProblems.length > 0 ||
      found.length > 0,
    missing: describeMissing(withoutCode, unfilled.length > 0),
    environments: environments ?? [],
  }
}

function describeMissing(withoutCode: boolean, unfilled: boolean): string | null {
  if (withoutCode) return 'Add a program to begin'
  return unfilled ? 'Fill in the required fields' : null
}
