import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { CompetitionDetail, RosterAnswer } from '@/lib/competitions/contract'
import { maxRosterBytes } from '@/lib/competitions/contract-limits'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Field } from '../../ui/field'
import { FileDrop } from '../../ui/file-drop'
import { formatNumber } from '../../ui/format-number'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { Textarea } from '../../ui/textarea'
import { toast, toastError } from '../../ui/toaster'
import { putRoster } from '../queries'

/** Its bytes, because only the server knows which encoding a spreadsheet has written. */
function toBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^.*?,/s, ''))
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'))
    reader.readAsDataURL(file)
  })
}

/** Replaces the list of the people who may join, after a preview. */
export function Roster({ competition: { competition_id, join } }: { competition: CompetitionDetail }) {
  const [csv, setCsv] = useState('')
  /** Replaces the text. */
  const [file, setFile] = useState<File | null>(null)
  const [preview, setPreview] = useState<RosterAnswer | null>(null)
  const { mutateAsync, isPending, variables } = useMutation(putRoster)
  const change = (text: string, chosen: File | null) => {
    setCsv(text)
    setFile(chosen)
    setPreview(null)
  }
  const send = async (dry_run: boolean) => {
    try {
      const roster = file === null ? { csv } : { file: await toBase64(file) }
      const answer = await mutateAsync({ competition: competition_id, roster, dry_run })
      setPreview(answer)
      if (!dry_run) toast.success('The roster is replaced')
    } catch (error) {
      toastError(dry_run ? 'The preview failed' : 'The roster was not replaced', error)
    }
  }
  const take = ([chosen]: readonly File[]) => {
    if (!chosen) return
    if (chosen.size > maxRosterBytes)
      return void toast.error(`${chosen.name} is larger than 8 MiB. Choose another file.`)
    change('', chosen)
  }
  return (
    <Panel>
      <PanelHeader
        title="Roster"
        description={
          join === 'roster'
            ? 'Only these people can join: those whose account has the e-mail address.'
            : 'It gives members their sections. Everybody else can join too, because join is not roster.'
        }
      />
      <PanelBody className="flex flex-col gap-4">
        <FileDrop
          label="Choose a CSV file, or drop it here"
          accept=".csv,.txt,text/csv"
          onFiles={take}
          onDrop={(transfer) => take([...transfer.files])}
        />
        {file ? (
          <p role="status" className="wrap-anywhere text-sm">
            {file.name}
          </p>
        ) : null}
        <Field
          label="Or paste the text"
          hint="The first line names the columns: email, name, section. Only email is required. It replaces the whole roster."
        >
          <Textarea
            rows={5}
            spellCheck={false}
            className="font-mono text-xs"
            value={csv}
            onChange={(event) => change(event.target.value, null)}
          />
        </Field>
        {preview ? <Outcome answer={preview} /> : null}
        <div className="flex flex-wrap gap-2">
          <Button
            variant={preview ? 'secondary' : 'primary'}
            disabled={file === null && csv.trim() === ''}
            loading={isPending && variables?.dry_run === true}
            onClick={() => void send(true)}
          >
            Preview
          </Button>
          {preview?.dry_run && preview.problems.length === 0 ? (
            <Button
              variant="primary"
              loading={isPending && variables?.dry_run === false}
              onClick={() => void send(false)}
            >
              Replace the roster
            </Button>
          ) : null}
        </div>
      </PanelBody>
    </Panel>
  )
}

function Outcome({ answer }: { answer: RosterAnswer }) {
  const { added, changed, removed, unchanged, moved, hints, problems, dry_run } = answer
  if (problems.length > 0)
    return (
      <Callout tone="danger" announce title="Nothing has changed">
        Correct these problems in the text or in the file, then preview it again.
        <ul className="mt-1 list-disc pl-5">
          {problems.map(({ line, message }) => (
            <li key={`${line} ${message}`} className="wrap-anywhere">
              Line {formatNumber(line)}: {message}
            </li>
          ))}
        </ul>
      </Callout>
    )
  return (
    <div role="status" className="flex flex-col gap-1 text-sm">
      <p>
        {dry_run ? 'This would be the change' : 'Done'}: {formatNumber(added)} added, {formatNumber(changed)}{' '}
        changed, {formatNumber(removed)} removed, {formatNumber(unchanged)} unchanged.
        {moved > 0 ? ` Members with another section: ${formatNumber(moved)}.` : ''}
      </p>
      {hints.map((hint) => (
        <p key={hint} className="wrap-anywhere text-muted">
          {hint}
        </p>
      ))}
    </div>
  )
}
