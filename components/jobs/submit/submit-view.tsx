'use client'

import { Upload } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { otherSubmissions } from '../../features'
import { dryRunQuery } from '../../queries/dry-run'
import { findShortcut } from '../../shell/shortcuts/shortcut-keys'
import { submitShortcuts } from '../../shell/shortcuts/shortcut-table'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Link } from '../../ui/link'
import { PartBoundary } from '../../ui/missing-part'
import { PageHeader } from '../../ui/page-header'
import type { CodeEditorHandle } from '../editor/editor-props'
import type { FieldInfos } from '../editor/form-fields'
import { isWarning } from '../editor/problem'
import { withNearest } from './before/nearest'
import { useDryRun } from './before/use-dry-run'
import { focusDirectoryProblem } from './directory/focus-problem'
import { readTransfer } from './directory/read/dropped-items'
import { useDirectory } from './directory/use-directory'
import { blankDraft, type Draft } from './draft'
import { Editors, keptByReload } from './editors'
import { FilePicker } from './file-picker'
import { noOtherDryRun, useOtherDraft } from './other-submission'
import { OwnLimits } from './own-limits'
import { SubmitBar } from './submit-bar'
import { useDraft } from './use-draft'
import { type DraftProblems, useDraftProblems } from './use-draft-problems'
import { useFileDrops } from './use-file-drops'
import { useSubmission } from './use-submission'

/** Most of it is shown only after the server has answered. */
const Prospect = dynamic(() => import('./before/prospect').then((module) => module.Prospect), { ssr: false })
const Refusal = dynamic(() => import('./before/refusal').then((module) => module.Refusal), { ssr: false })

interface SubmitViewProps {
  handle: string
  infos: FieldInfos
  /** The files of a job to edit and run again. */
  start: Draft | null
  /** The line of the program that gets the cursor, because it failed; left out: none. */
  startLine?: number | null
  /** What gpuq has changed in these files, as the page of the failed job advised; left out: nothing. */
  filledIn?: string | null
  /** Config keys that this gpuq always refuses; left out: none. */
  refusedKeys?: readonly string[]
}

/** The submit page: a program or a directory, and a config, dropped or written, checked while the user types. */
export function SubmitView(props: SubmitViewProps) {
  const { handle, infos, start, startLine = null, filledIn = null, refusedKeys = [] } = props
  const ownDraft = useDraft(start)
  const { draft, change, startOver } = ownDraft
  const files = useDirectory(draft, change)
  const { directory } = files
  const other = useOtherDraft(draft, otherSubmissions)
  const submission = useSubmission(ownDraft, directory, other?.parts ?? null)
  const { submit, submitting, refusal, forgetRefusal } = submission
  const [submitted, setSubmitted] = useState(false)
  const problems = useDraftProblems(draft, {
    handle,
    infos,
    directory,
    other,
    serverErrors: refusal?.errors,
    submitted,
  })

  const ready = !problems.blocking && problems.missing === null
  const dryRun = useDryRun(dryRunQuery, draft.config, ready && other === null, submitting)
  const askOther = other?.parts?.dryRunQuery
  const otherDryRun = useDryRun(askOther ?? noOtherDryRun, draft.config, ready && !!askOther, submitting)
  const shownRefusal = refusal ?? dryRun.refusal ?? otherDryRun.refusal
  const hovering = useFileDrops((transfer) => files.take(readTransfer(transfer)))
  const code = useRef<CodeEditorHandle>(null)
  const config = useRef<CodeEditorHandle>(null)
  const focusFirstError = () =>
    (directory === null ? code.current?.focusError() : focusDirectoryProblem()) ||
    config.current?.focusError()
  const submitIfReady = () => {
    // From now on, what is missing is an error, and the first error gets the focus.
    flushSync(() => setSubmitted(true))
    if (problems.blocking) focusFirstError()
    else if (!submitting && !files.reading) submit()
  }
  const serverErrors = refusal?.errors
  const onServerErrors = useEffectEvent(focusFirstError)
  useEffect(() => {
    if (serverErrors && serverErrors.length > 0) onServerErrors()
  }, [serverErrors])
  const submitByKey = (event: KeyboardEvent) => {
    if (!findShortcut(submitShortcuts, event)) return
    event.preventDefault()
    submitIfReady()
  }
  const warnings = problems.code.filter(isWarning).length
  const isBlank = draft === blankDraft && directory === null
  const clear = () => {
    files.clear()
    startOver()
  }
  return (
    // The shortcut works everywhere on this page. The button does the same.
    <div role="presentation" onKeyDownCapture={submitByKey} className="flex flex-1 flex-col">
      <PageHeader
        title="New job"
        description={
          <>
            A program or a directory, and its config. gpuq checks the config and the syntax of the program
            while you write. <Link href="/docs/user-guide/write-the-config">All keys of the config</Link>
          </>
        }
        actions={isBlank ? null : <StartOver onConfirm={clear} />}
      />
      {filledIn === null ? null : (
        <Callout tone="info">
          Changed in the config, as you chose on the page of the failed job: {filledIn}
        </Callout>
      )}
      <FilePicker reading={files.reading} onItems={files.take} />
      <Editors
        draft={draft}
        files={files}
        problems={problems}
        infos={infos}
        refusedKeys={refusedKeys}
        startLine={startLine}
        onChange={change}
        code={code}
        config={config}
      />
      <PartBoundary kept={keptByReload}>
        <Prospect config={draft.config} answer={dryRun.answer} onConfig={(config) => change({ config })} />
      </PartBoundary>
      {other?.parts ? <other.parts.Preview draft={draft} answer={otherDryRun.answer} /> : null}
      <OwnLimits config={draft.config} />
      <SubmitBar
        action={other?.action ?? 'Submit job'}
        problems={countProblems(problems) - warnings}
        warnings={warnings}
        missing={problems.missing}
        refused={shownRefusal !== null}
        refusal={
          shownRefusal === null || (refusal && refusal.errors.length > 0 && !refusal.nearest) ? null : (
            <PartBoundary fallback={<Callout tone="danger">{shownRefusal.message}</Callout>}>
              <Refusal
                refusal={shownRefusal}
                submitted={refusal !== null}
                onUse={(nearest) => change({ config: withNearest(draft.config, nearest) })}
                onCancelled={forgetRefusal}
              />
            </PartBoundary>
          )
        }
        submitting={submitting}
        onSubmit={submitIfReady}
        retries={submission.retries}
        upload={submission.upload}
        onCancelUpload={submission.cancelUpload}
      />
      {hovering ? <DropOverlay /> : null}
    </div>
  )
}

function countProblems({ config, code, directory, entrypoint }: DraftProblems): number {
  return config.length + code.length + directory.length + (entrypoint?.kind === 'missing' ? 1 : 0)
}

/** Covers the page while the user drags files over it. */
function DropOverlay() {
  return (
    <div
      aria-hidden
      className="pointer-events-none fixed inset-3 z-40 grid animate-fade-in place-items-center rounded-xl border-2 border-accent border-dashed bg-scrim"
    >
      <p className="flex items-center gap-2 rounded-lg bg-raised px-4 py-3 font-medium text-base text-ink shadow-float">
        <Upload className="size-5 text-accent-ink" />
        Drop a folder, an archive or files
      </p>
    </div>
  )
}

function StartOver({ onConfirm }: { onConfirm: () => void }) {
  return (
    <ConfirmDialog
      trigger={<Button variant="ghost">Start over</Button>}
      title="Start over?"
      description="This clears the editors and removes the directory."
      confirmLabel="Clear all"
      keepLabel="Keep it"
      onConfirm={onConfirm}
    />
  )
}
