'use client'

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
import { DropHint } from './drop-hint'
import { readFiles } from './read-files'
import { SubmitBar } from './submit-bar'
import { useDraft } from './use-draft'
import { useFileDrops } from './use-file-drops'
import { type Mistakes, useMistakes } from './use-mistakes'
import { useSubmission } from './use-submission'

interface SubmitViewProps {
  handle: string
  /** The files of a job to edit and run again. */
  start: Draft | null
}

/** The button that sends stands where news usually appears. */
const awayFromBar = { position: 'top-right' } as const

/** The page that submits: two files, dropped or written, and checked while they are. */
export function SubmitView({ handle, start }: SubmitViewProps) {
  const { draft, change, startOver } = useDraft(start)
  const { submit, working, refusal } = useSubmission(draft)
  const [tried, setTried] = useState(false)
  const mistakes = useMistakes(draft, { handle, told: refusal?.errors, tried })

  const { takeFiles, hovering } = useTakenFiles(change)
  const send = () => {
    setTried(true)
    if (!mistakes.blocking && !working) submit()
  }
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    send()
  }
  const count = mistakes.config.length + mistakes.code.length
  return (
    // The keys work wherever the focus is on this page; the button is the way for everyone else.
    <div role="presentation" onKeyDownCapture={sendByKey}>
      <PageHeader
        title="New job"
        description="A program and its config. Both are checked here before anything is sent."
        actions={draft === blankDraft ? null : <StartOver onConfirm={startOver} />}
      />
      <div data-takes-files>
        <FileDrop
          label="Drop solution.py and config.yaml, or choose them"
          hint="Together or one by one, anywhere on this page. Or write them below."
          accept=".py,.yaml,.yml"
          multiple
          onFiles={takeFiles}
          className="py-4"
        />
      </div>
      <Editors draft={draft} mistakes={mistakes} onChange={change} />
      <SubmitBar
        mistakes={count}
        unfinished={mistakes.blocking}
        failure={refusal && refusal.errors.length === 0 ? refusal.message : null}
        working={working}
        onSubmit={send}
      />
      {hovering ? <DropHint /> : null}
    </div>
  )
}

interface EditorsProps {
  draft: Draft
  mistakes: Mistakes
  onChange: (change: Partial<Draft>) => void
}

function Editors({ draft, mistakes, onChange }: EditorsProps) {
  return (
    <div className="mt-4 grid items-start gap-4 lg:grid-cols-2">
      {isCommand(draft) ? (
        <CommandPanel draft={draft} onChange={onChange} />
      ) : (
        <ProgramPanel draft={draft} mistakes={mistakes} onChange={onChange} />
      )}
      <Panel>
        <PanelHeader title={<span className="font-mono">config.yaml</span>} />
        <PanelBody>
          <ConfigEditor
            value={draft.config}
            onChange={(config) => onChange({ config })}
            problems={mistakes.config}
            {...(mistakes.environments ? { environments: mistakes.environments } : {})}
          />
        </PanelBody>
      </Panel>
    </div>
  )
}

function ProgramPanel({ draft, mistakes, onChange }: EditorsProps) {
  return (
    <Panel>
      <PanelHeader title={<span className="font-mono">solution.py</span>} />
      <PanelBody>
        <CodeEditor
          label="solution.py"
          language="python"
          value={draft.code}
          onChange={(code) => onChange({ code })}
          problems={mistakes.code}
          placeholder="print('Hello from a GPU')"
          className="h-[34rem] max-lg:h-96"
        />
      </PanelBody>
    </Panel>
  )
}

/** The config's command, in a box where it can be read. Its mistakes stand beside the config. */
function CommandPanel({ draft, onChange }: Omit<EditorsProps, 'mistakes'>) {
  return (
    <Panel>
      <PanelHeader
        title={<span className="font-mono">command</span>}
        description="Run by /bin/sh in place of solution.py. To write a program, take the key out of the config."
      />
      <PanelBody>
        <CodeEditor
          label="command"
          language="shell"
          value={commandOf(draft.config) ?? ''}
          onChange={(command) => onChange({ config: withCommand(draft.config, command) })}
          placeholder="python train.py"
          className="h-[34rem] max-lg:h-96"
        />
      </PanelBody>
    </Panel>
  )
}

/** Takes dropped files into the draft, and says what became of each. */
function useTakenFiles(change: (change: Partial<Draft>) => void) {
  const takeFiles = async (files: File[]) => {
    const read = await readFiles(files)
    change(read.change)
    if (read.taken.length > 0) toast.success(`Read ${read.taken.join(' and ')}`, awayFromBar)
    for (const sentence of read.refused) toast.error(sentence, awayFromBar)
    if (read.droppedToken) toast.info('The token was left out of the config: you are signed in.', awayFromBar)
  }
  const take = (files: File[]) => void takeFiles(files)
  return { takeFiles: take, hovering: useFileDrops(take) }
}

function StartOver({ onConfirm }: { onConfirm: () => void }) {
  return (
    <ConfirmDialog
      trigger={<Button variant="ghost">Start over</Button>}
      title="Start over?"
      description="What is written in both editors is cleared."
      confirmLabel="Clear both"
      keepLabel="Keep them"
      onConfirm={onConfirm}
    />
  )
}
