import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { CompetitionDetail } from '@/lib/competitions/contract'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Field } from '../../ui/field'
import { FileDrop } from '../../ui/file-drop'
import { formatCount, formatNumber } from '../../ui/format-number'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { Textarea } from '../../ui/textarea'
import { toast, toastError } from '../../ui/toaster'
import { putRoster } from '../queries'

type Answer = Awaited<ReturnType<NonNullable<typeof putRoster.mutationFn>>>

/** A page with more rows takes seconds to lay out. */
const shownProblems = 100

/** Replaces the list of the people who may join, after a preview. */
export function Roster({ competition: { competition_id, join } }: { competition: CompetitionDetail }) {
  const [csv, setCsv] = useState('')
  const [preview, setPreview] = useState<Answer | null>(null)
  const { mutateAsync, isPending, variables } = useMutation(putRoster)
  const change = (text: string) => {
    setCsv(text)
    setPreview(null)
  }
  const send = async (dry_run: boolean) => {
    try {
      const answer = await mutateAsync({ competition: competition_id, csv, dry_run })
      setPreview(answer)
      if (!dry_run) toast.success('The roster is replaced')
    } catch (error) {
      toastError(dry_run ? 'The preview failed' : 'The roster was not replaced', error)
    }
  }
  const read = async ([file]: readonly File[]) => {
    if (file) change(await file.text())
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
          onFiles={(files) => void read(files)}
          onDrop={(transfer) => void read([...transfer.files])}
        />
        <Field
          label="Or paste the text"
          hint="The first line names the columns: email, name, section. Only email is required. It replaces the whole roster."
        >
          <Textarea
            rows={5}
            spellCheck={false}
            className="font-mono text-xs"
            value={csv}
            onChange={(event) => change(event.target.value)}
          />
        </Field>
        {preview ? <Outcome answer={preview} /> : null}
        <div className="flex flex-wrap gap-2">
          <Button
            variant={preview ? 'secondary' : 'primary'}
            disabled={csv.trim() === ''}
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

function Outcome({ answer: { added, changed, unchanged, problems, dry_run } }: { answer: Answer }) {
  if (problems.length > 0)
    return (
      <Callout tone="danger" announce title={formatCount(problems.length, 'problem')}>
        Correct them in the text or in the file, then preview it again. Nothing has changed.
        <ul className="mt-1 list-disc pl-5">
          {problems.slice(0, shownProblems).map(({ line, message }) => (
            <li key={`${line} ${message}`} className="wrap-anywhere">
              Line {formatNumber(line)}: {message}
            </li>
          ))}
        </ul>
        {problems.length > shownProblems ? `The first ${shownProblems} are shown.` : null}
      </Callout>
    )
  return (
    <p role="status" className="text-sm">
      {dry_run ? 'It would add' : 'It added'} {formatNumber(added)}, {dry_run ? 'change' : 'changed'}{' '}
      {formatNumber(changed)} and {dry_run ? 'leave' : 'left'} {formatNumber(unchanged)} as they are.
    </p>
  )
}
