import { useMutation } from '@tanstack/react-query'
import { FileCode2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { uuidv7 } from 'uuidv7'
import type { CompetitionDetail, Phase } from '@/lib/competitions/contract'
import { curlCommand } from '../access/snippets'
import { maxTextBytes } from '../jobs/submit/read-files'
import { FormError } from '../shell/form'
import { useOrigin } from '../shell/use-origin'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { CodeBlock } from '../ui/code-block'
import { Field } from '../ui/field'
import { FileDrop } from '../ui/file-drop'
import { formatBytes } from '../ui/format-number'
import { Link } from '../ui/link'
import { Panel, PanelBody, PanelFooter, PanelHeader } from '../ui/panel'
import { Select } from '../ui/select'
import { Switch } from '../ui/switch'
import { TextField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import { QuotaPanel } from './entries/quota-panel'
import { entryConfig } from './entry-config'
import { describeLate, describeRun, takesEntries } from './facts'
import { PhaseClock } from './phase-clock'
import { submitEntry } from './queries'

interface SubmitTabProps {
  competition: CompetitionDetail
  phase: Phase
  onPhase: (key: string) => void
  /** The entry was accepted by this phase. */
  onSent: (key: string) => void
}

/** Sends a program to a phase. */
export function SubmitTab({ competition, phase, onPhase, onSent }: SubmitTabProps) {
  const { competition_id, phases } = competition
  const [file, setFile] = useState<File | null>(null)
  const [name, setName] = useState('')
  const [rehearsing, setRehearsing] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const { mutateAsync, isPending } = useMutation(submitEntry)
  // A repeated press after a lost answer is the same entry.
  const key = useRef<string>(undefined)
  const rehearse = rehearsing && phase.rehearse
  const config = entryConfig({ competition: competition_id, phase, name: name.trim(), rehearse })
  const choosable = phases.filter((other) => takesEntries(other) || other.key === phase.key)
  const changed = () => {
    key.current = undefined
    setProblem(null)
  }
  const take = ([first]: readonly File[]) => {
    if (!first) return
    changed()
    setFile(first)
  }
  const send = async () => {
    const refusal = refuseFile(file)
    if (file === null || refusal !== null) return setProblem(refusal)
    key.current ??= uuidv7()
    setProblem(null)
    try {
      await mutateAsync({ code: file, config, idempotencyKey: key.current })
      toast.success(rehearse ? 'The rehearsal was accepted' : 'The entry was accepted')
      onSent(phase.key)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'The entry was not sent. Try again.')
    }
  }
  return (
    <div className="grid min-w-0 gap-4 lg:grid-cols-2 lg:items-start">
      <Panel>
        <PanelHeader
          title={rehearse ? 'New rehearsal' : 'New entry'}
          description={describeRun(phase.run)}
          actions={<PhaseClock phase={phase} />}
        />
        <form
          method="post"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            void send()
          }}
        >
          <PanelBody className="flex flex-col gap-4">
            {phase.state === 'open' ? null : (
              <Callout
                tone="warning"
                title={`This phase ${phase.state === 'ended' ? 'has ended' : 'is not open yet'}`}
              >
                {describeClosed(phase)}
              </Callout>
            )}
            {choosable.length > 1 ? (
              <Field label="Phase">
                <Select
                  value={phase.key}
                  onValueChange={(chosen) => {
                    changed()
                    onPhase(chosen)
                  }}
                  options={choosable.map(({ key: value, title }) => ({ value, label: title }))}
                />
              </Field>
            ) : null}
            <FileDrop
              label="Choose solution.py, or drop it here"
              hint={`It reads ${describePlaces(phase.inputs, '/data')} and writes ${describePlaces(phase.outputs, '/results')}.`}
              accept=".py,text/x-python"
              onFiles={take}
              onDrop={(transfer) => take([...transfer.files])}
            />
            {file ? (
              <p role="status" className="flex items-center gap-2 text-sm">
                <FileCode2 aria-hidden className="size-4 shrink-0 text-subtle" />
                <span className="min-w-0 wrap-anywhere">{file.name}</span>
                <span className="text-subtle">{formatBytes(file.size)}</span>
              </p>
            ) : null}
            <TextField
              label="Name"
              optional
              hint="Helps you to find the entry again. Other teams do not see it."
              maxLength={200}
              autoComplete="off"
              value={name}
              onChange={(text) => {
                changed()
                setName(text)
              }}
            />
            {phase.rehearse ? (
              <Switch
                label="Rehearse"
                description="Runs on sample data and shows all output. It has no score and does not count to the quota."
                checked={rehearsing}
                onCheckedChange={(on) => {
                  changed()
                  setRehearsing(on)
                }}
              />
            ) : null}
            <FormError error={problem} />
          </PanelBody>
          <PanelFooter>
            <Button type="submit" variant="primary" loading={isPending}>
              {rehearse ? 'Rehearse' : 'Submit'}
            </Button>
          </PanelFooter>
        </form>
      </Panel>
      <div className="flex min-w-0 flex-col gap-4">
        <QuotaPanel competition={competition} phase={phase} />
        <FromTerminal config={config} />
      </div>
    </div>
  )
}

/** What happens to an entry of a phase that is not open. */
function describeClosed(phase: Phase): string {
  if (phase.state === 'upcoming') return 'It accepts no entries yet.'
  if (phase.revealed) return 'Its results are revealed, so it accepts no more entries.'
  return phase.late === null
    ? 'It accepts only entries of participants with an extension.'
    : `An entry is late now. ${describeLate(phase)}.`
}

/** Says what to change about the file; null: nothing. */
function refuseFile(file: File | null): string | null {
  if (file === null) return 'Choose the program: solution.py.'
  if (file.size === 0) return `${file.name} is empty. Choose another file.`
  return file.size > maxTextBytes
    ? `${file.name} is larger than 1 MiB. A program may have at most 1 MiB.`
    : null
}

const describePlaces = (names: readonly string[], directory: string) =>
  names.length === 0 ? directory : names.map((name) => `${directory}/${name}`).join(', ')

/** The same by curl. */
function FromTerminal({ config }: { config: string }) {
  const origin = useOrigin()
  return (
    <Panel>
      <PanelHeader
        title="From a terminal"
        description={
          <>
            It answers when the score is there. You need a <Link href="/tokens">token</Link>.
          </>
        }
      />
      <PanelBody className="flex flex-col gap-3">
        <CodeBlock label="config.yaml" title="config.yaml" code={config} />
        <CodeBlock label="curl command" title="curl" code={curlCommand({ token: 'YOUR_TOKEN', origin })} />
      </PanelBody>
    </Panel>
  )
}
