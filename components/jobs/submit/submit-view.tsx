'use client'

import { useQuery } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { lastJobQuery } from '@/components/queries/queries'
import { findShortcut } from '../../shell/shortcuts/shortcut-keys'
import { submitShortcuts } from '../../shell/shortcuts/shortcut-table'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { FileDrop } from '../../ui/file-drop'
import { PageHeader } from '../../ui/page-header'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { toast } from '../../ui/toaster'
import { CodeEditor, type CodeEditorHandle } from '../editor/code-editor'
import { ConfigEditor } from '../editor/config-editor'
import { isWarning } from '../editor/problems'
import { blankDraft, commandOf, type Draft, isCommand, withCommand } from './draft'
import { OwnLimits } from './own-limits'
import { readFiles } from './read-files'
import { SubmitBar } from './submit-bar'
import { useDraft } from './use-draft'
import { type DraftProblems, useDraftProblems } from './use-draft-problems'
import { useFileDrops } from './use-file-drops'
import { useSubmission } from './use-submission'

interface SubmitViewProps {
  handle: string
  /** The files of a job to edit and run again. */
  start: Draft | null
}

/** The submit page: two files, dropped or written, checked while the user types. */
export function SubmitView({ handle, start }: SubmitViewProps) {
  const { draft, change, startOver } = useDraft(start)
  const { submit, submitting, refusal } = useSubmission(draft)
  const [submitted, setSubmitted] = useState(false)
  const problems = useDraftProblems(draft, { handle, serverErrors: refusal?.errors, submitted })

  const { takeFiles, hovering } = useDroppedFiles(change)
  const code = useRef<CodeEditorHandle>(null)
  const config = useRef<CodeEditorHandle>(null)
  const focusFirstError = () => code.current?.focusError() || config.current?.focusError()
  const submitIfReady = () => {
    // From now on, what is missing is an error, and the first error gets the focus.
    flushSync(() => setSubmitted(true))
    if (problems.blocking) focusFirstError()
    else if (!submitting) submit()
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
  return (
    // The shortcut works everywhere on this page. The button does the same.
    <div role="presentation" onKeyDownCapture={submitByKey} className="flex flex-1 flex-col">
      <PageHeader
        title="New job"
        description="A program and its config. gpuq checks the config and the syntax of the program while you write."
        actions={draft === blankDraft ? null : <StartOver onConfirm={startOver} />}
      />
      <div data-file-drop>
        <FileDrop
          label="Drop solution.py and config.yaml, or choose files"
          hint="You can drop files anywhere on this page, or write them below."
          accept=".py,.yaml,.yml"
          multiple
          onFiles={takeFiles}
          className="py-4"
        />
      </div>
      <Editors draft={draft} problems={problems} onChange={change} code={code} config={config} />
      <OwnLimits config={draft.config} />
      <SubmitBar
        problems={problems.config.length + problems.code.length - warnings}
        warnings={warnings}
        missing={problems.missing}
        error={refusal && refusal.errors.length === 0 ? refusal.message : null}
        submitting={submitting}
        onSubmit={submitIfReady}
      />
      {hovering ? <DropOverlay /> : null}
    </div>
  )
}

interface EditorsProps {
  draft: Draft
  problems: DraftProblems
  onChange: (change: Partial<Draft>) => void
  code: RefObject<CodeEditorHandle | null>
  config: RefObject<CodeEditorHandle | null>
}

function Editors({ draft, problems, onChange, code, config }: EditorsProps) {
  const { data: lastJob } = useQuery(lastJobQuery())
  const { description, ...editor } = isCommand(draft)
    ? {
        label: 'command',
        description:
          '/bin/sh runs this command instead of solution.py. To write a program, remove the key from the config.',
        language: 'shell' as const,
        value: commandOf(draft.config) ?? '',
        onChange: (command: string) => onChange({ config: withCommand(draft.config, command) }),
        placeholder: 'python train.py',
        // The problems of a command are shown with the config.
      }
    : {
        label: 'solution.py',
        language: 'python' as const,
        value: draft.code,
        onChange: (code: string) => onChange({ code }),
        problems: problems.code,
        placeholder: "print('Hello from a GPU')",
      }
  return (
    <div className="mt-4 mb-5 grid items-start gap-4 lg:grid-cols-2">
      <Panel>
        <PanelHeader title={<span className="font-mono">{editor.label}</span>} description={description} />
        <PanelBody>
          <CodeEditor key={editor.label} ref={code} {...editor} className="h-[34rem] max-lg:h-96" />
        </PanelBody>
      </Panel>
      <Panel>
        <PanelHeader title={<span className="font-mono">config.yaml</span>} />
        <PanelBody>
          <ConfigEditor
            ref={config}
            value={draft.config}
            onChange={(text) => onChange({ config: text })}
            problems={problems.config}
            environments={problems.environments}
            lastJob={lastJob ?? null}
          />
        </PanelBody>
      </Panel>
    </div>
  )
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
        Drop solution.py and config.yaml
      </p>
    </div>
  )
}

/** Reads dropped files into the draft and reports the result. */
function useDroppedFiles(change: (change: Partial<Draft>) => void) {
  const takeFiles = async (files: File[]) => {
    const read = await readFiles(files)
    change(read.change)
    if (read.accepted.length > 0) toast.success(`Read ${read.accepted.join(' and ')}`)
    for (const message of read.refused) toast.error(message)
    if (read.droppedToken) toast.info('gpuq removed the token from the config: you are signed in.')
  }
  const take = (files: File[]) => void takeFiles(files)
  return { takeFiles: take, hovering: useFileDrops(take) }
}

function StartOver({ onConfirm }: { onConfirm: () => void }) {
  return (
    <ConfirmDialog
      trigger={<Button variant="ghost">Start over</Button>}
      title="Start over?"
      description="This clears both editors."
      confirmLabel="Clear both"
      keepLabel="Keep them"
      onConfirm={onConfirm}
    />
  )
}
