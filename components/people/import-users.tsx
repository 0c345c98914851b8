'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { invitationMailsQuery } from '@/components/people/queries'
import { importUsers } from '@/components/queries/queries'
import type { UserImport } from '@/lib/people/contract'
import {
  importColumns,
  importTemplate,
  maxImportCharacters,
  maxImportedUsers,
} from '@/lib/people/contract-import-file'
import { Button } from '../ui/button'
import { Field } from '../ui/field'
import { FileDrop } from '../ui/file-drop'
import { formatNumber } from '../ui/format-number'
import { PageHeader } from '../ui/page-header'
import { Segmented } from '../ui/segmented'
import { Textarea } from '../ui/textarea'
import { toast, toastError } from '../ui/toaster'
import { ImportPreview } from './import-preview'
import { ImportResult } from './import-result'
import { InvitationMails } from './invitation-mails'
import { saveFile } from './save-file'

type InviteBy = 'email' | 'file'
const inviteOptions = [
  { value: 'email', label: 'Invite by e-mail' },
  { value: 'file', label: 'Download links' },
] as const

/** The page that imports users from a CSV file: the text, its preview, and the invitations of the new users. */
export function ImportUsers() {
  const [csv, setCsv] = useState('')
  const [shown, setShown] = useState<UserImport | null>(null)
  const { mutateAsync, isPending, variables } = useMutation(importUsers)
  const canMail = useQuery(invitationMailsQuery()).data?.available ?? false
  const [inviteBy, setInviteBy] = useState<InviteBy>('email')
  const change = (text: string) => {
    setCsv(text)
    setShown(null)
  }
  const send = async (dry_run: boolean) => {
    try {
      setShown(await mutateAsync({ csv, dry_run, invite_by: canMail ? inviteBy : 'file', plan: shown?.plan }))
    } catch (error) {
      toastError(dry_run ? 'The preview failed' : 'The import failed', error)
    }
  }
  const read = async ([file]: readonly File[]) => {
    if (!file) return
    if (file.size > maxImportCharacters * 2) return void toast.error(`${file.name} is too large. Divide it.`)
    change(await file.text())
  }
  const header = (
    <PageHeader
      path={[{ label: 'Users', href: '/admin/users' }]}
      title="Import users"
      description="From a CSV file. Nothing changes before you press Import."
    />
  )
  if (shown && !shown.dry_run)
    return (
      <>
        {header}
        <ImportResult done={shown} />
      </>
    )
  return (
    <>
      {header}
      <div className="flex max-w-4xl flex-col gap-5">
        <FileDrop
          label="Choose a CSV file, or drop it here"
          hint={`At most ${formatNumber(maxImportedUsers)} users.`}
          accept=".csv,.tsv,.txt,text/csv"
          onFiles={(files) => void read(files)}
          onDrop={(transfer) => void read([...transfer.files])}
        />
        <Field
          label="Or paste the text"
          hint={`The first line names the columns: ${Object.keys(importColumns).join(', ')}. Only user_id or email is required. An empty cell changes nothing.`}
        >
          <Textarea
            rows={8}
            spellCheck={false}
            className="font-mono text-xs"
            value={csv}
            onChange={(event) => change(event.target.value)}
          />
        </Field>
        <div className="flex flex-wrap gap-2">
          <Button
            variant={shown ? 'secondary' : 'primary'}
            disabled={csv.trim() === ''}
            loading={isPending && variables?.dry_run === true}
            onClick={() => void send(true)}
          >
            Preview
          </Button>
          <Button icon={Download} onClick={() => saveFile('users.csv', importTemplate)}>
            Download template
          </Button>
        </div>
        {canMail ? (
          <Segmented
            label="Send invitations"
            value={inviteBy}
            onValueChange={setInviteBy}
            options={inviteOptions}
            className="self-start"
          />
        ) : null}
        {shown ? (
          <ImportPreview
            preview={shown}
            importing={isPending && variables?.dry_run === false}
            onImport={() => void send(false)}
          />
        ) : null}
        <InvitationMails />
      </div>
    </>
  )
}
