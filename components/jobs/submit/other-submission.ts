import type { UseMutationOptions } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import type { FieldError } from '@/lib/contract/errors'
import type { DryRun } from '@/lib/contract/submission/dry-run'
import type { Submission } from '@/lib/http/client/build-client'
import { type DryRunQuery, dryRunOf } from '../../queries/dry-run'
import { type OnDemand, onDemand, useOnDemand } from '../../ui/on-demand'
import type { Draft } from './draft'

/** A submission whose config is not that of one job. */
export interface OtherSubmission {
  /** Whether the text of a config is one of these. */
  matches: (config: string) => boolean
  /** What the button says that submits it. */
  action: string
  /** The rest, which the page of one job does not load. */
  parts: OnDemand<OtherParts>
}

export interface OtherParts {
  /** The mistakes of a config. */
  findMistakes: (config: string) => readonly FieldError[]
  /** The config of a job that the server accepts or refuses for the same reasons: the check before a directory is uploaded. */
  toJobConfig: (config: string) => string
  /** What the user can know before submitting. */
  Preview: ComponentType<{ draft: Draft; answer: OtherAnswer | null }>
  /** Asks the server what a submission of a config would do. */
  dryRunQuery: (config: string) => DryRunQuery<OtherAnswer>
  submission: UseMutationOptions<Opened, Error, Submission>
}

/** What the server says of a submission, as far as it says it of every kind. */
export type OtherAnswer = Pick<DryRun, 'project_note' | 'expected_start' | 'expected_start_text'>

/** Is never sent: the draft is one job. */
export const noOtherDryRun = dryRunOf<OtherAnswer>(['other'], () =>
  Promise.reject(new Error('A job needs no other dry run.')),
)

/** What a submission has created. */
export interface Opened {
  /** Its page. */
  path: string
  note?: string | undefined
}

/** A draft that is not one job; null: it is. */
export interface OtherDraft {
  action: string
  /** Null while they load: the draft cannot be submitted yet. */
  parts: OtherParts | null
}

const none = onDemand<OtherParts>(() => Promise.reject(new Error('A job needs no other parts.')))

/** Recognises a draft that is not one job, and loads what it needs. */
export function useOtherDraft({ config }: Draft, kinds: readonly OtherSubmission[]): OtherDraft | null {
  const kind = kinds.find(({ matches }) => matches(config))
  const parts = useOnDemand(kind?.parts ?? none, kind !== undefined)
  return kind ? { action: kind.action, parts } : null
}
