'use client'

import { Upload } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { FileDrop } from '../../ui/file-drop'
import { PageHeader } from '../../ui/page-header'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { toast } from '../../ui/toaster'
import { CodeEditor } from '../editor/code-editor'
import { ConfigEditor } from '../editor/config-editor'
import { blankDraft, commandOf, type Draft, isCommand, withCommand } from './draft'
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

/** The submit button covers the usual place of toasts. */
const toastOptions = { position: 'top-right' } as const

/** The submit page: two files, dropped or written, checked while the user types. */
export function SubmitView({ handle, start }: SubmitViewProps) {
  const { draft, change, startOver } = useDraft(start)
  const { submit, submitting, refusal } = useSubmission(draft)
  const [submitted, setSubmitted] = useState(false)
  const problems = useDraftProblems(draft, { handle, serverErrors: refusal?.errors, submitted })

  const { takeFiles, hovering } = useDroppedFiles(change)
  const submitIfReady = () => {
    setSubmitted(true)
    if (!problems.blocking && !submitting) submit()
  }
  const submitByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    submitIfReady()
  }
  const count = problems.config.length + problems.code.length
  return (
    // The shortcut works everywhere on this page. The button does the same.
    <div role="presentation" onKeyDownCapture={submitByKey}>
      <PageHeader
        title="New job"
        description="A program and its config. gpuq checks both before you submit."
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
      <Editors draft={draft} problems={problems} onChange={change} />
      <SubmitBar
        problems={count}
        unfinished={problems.blocking}
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
}

function Editors({ draft, problems, onChange }: EditorsProps) {
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
    <div className="mt-4 grid items-start gap-4 lg:grid-cols-2">
      <Panel>
        <PanelHeader title={<span className="font-mono">{editor.label}</span>} description={description} />
        <PanelBody>
          <CodeEditor key={editor.label} {...editor} className="h-[34rem] max-lg:h-96" />
        </PanelBody>
      </Panel>
      <Panel>
        <PanelHeader title={<span className="font-mono">config.yaml</span>} />
        <PanelBody>
          <ConfigEditor
            value={draft.config}
            onChange={(config) => onChange({ config })}
            problems={problems.config}
            environments={problems.environments}
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
    if (read.accepted.length > 0) toast.success(`Read ${read.accepted.join(' and ')}`, toastOptions)
    for (const message of read.refused) toast.error(message, toastOptions)
    if (read.droppedToken)
      toast.info('gpuq removed the token from the config: you are signed in.', toastOptions)
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
