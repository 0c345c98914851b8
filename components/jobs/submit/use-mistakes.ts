'use client'

import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { environmentsQuery } from '@/components/queries/queries'
import type { FieldError } from '@/lib/contract/errors'
import type { EnvironmentChoice } from '../editor/config-field'
import type { Problem } from '../editor/problems'
import { findMistakes, withPlaces } from './config-mistakes'
import { commandOf, type Draft } from './draft'

export interface Mistakes {
  config: readonly FieldError[]
  code: readonly Problem[]
  /** Known here, so that sending would be in vain. */
  blocking: boolean
  environments: readonly EnvironmentChoice[] | undefined
}

interface MistakeSources {
  handle: string
  /** What the server said about the draft as it stands. */
  told: readonly FieldError[] | undefined
  /** Someone tried to send: from then on, an empty program is a mistake and not a beginning. */
  tried: boolean
}

const noProblems: readonly Problem[] = []
const missingCode: readonly Problem[] = [{ line: 1, message: 'write a program here, or drop a .py file' }]

/** Everything to mend in a draft, by where it stands. */
export function useMistakes({ code, config }: Draft, { handle, told, tried }: MistakeSources): Mistakes {
  const { data } = useQuery(environmentsQuery())
  const empty = code.trim() === ''
  const environments = useMemo(() => data?.filter(({ enabled }) => enabled), [data])
  // Deferred, so that checking does not hold up the typing.
  const settled = useDeferredValue(config)
  const found = useMemo(
    () =>
      findMistakes(settled, {
        handle,
        environments: environments?.map(({ name }) => name),
        hasProgram: !empty,
      }),
    [settled, handle, environments, empty],
  )
  const all = useMemo(() => {
    const toldOfConfig = told?.filter(({ path }) => path !== 'code') ?? []
    return toldOfConfig.length === 0 ? found : [...found, ...withPlaces(config, toldOfConfig)]
  }, [found, told, config])
  const toldOfCode = useMemo(
    () => told?.filter(({ path }) => path === 'code').map(({ message }) => ({ line: 1, message })),
    [told],
  )
  const missing = empty && commandOf(config) === null
  return {
    config: all,
    code: missing && tried ? missingCode : (toldOfCode ?? noProblems),
    blocking: missing || found.length > 0,
    environments,
  }
}
