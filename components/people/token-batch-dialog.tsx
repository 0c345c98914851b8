import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import { createTokens } from '@/components/queries/queries'
import type { Project } from '@/lib/contract/access/projects'
import { maxBatchUsers } from '@/lib/contract/access/request-sizes'
import type { FieldError } from '@/lib/contract/errors'
import { ProblemError } from '@/lib/http/client/problem'
import type { CreatedTokens } from '@/lib/people/contract-token-batches'
import { DialogForm } from '../shell/form'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { CheckboxField } from '../ui/checkbox'
import { Dialog, DialogClose } from '../ui/dialog'
import { Field } from '../ui/field'
import { formatCount } from '../ui/format-number'
import { IdField, NumberField, TextField } from '../ui/text-field'
import { Textarea } from '../ui/textarea'
import { toastError } from '../ui/toaster'
import { saveConfigs } from './save-configs'

interface TokenBatchDialogProps {
  /** The class of the tokens. Without it, an admin makes tokens that are not bound. */
  project?: Project
  trigger: ReactElement
}

/** Creates a token with a config for each user of a list, then offers the configs once. */
export function TokenBatchDialog({ project, trigger }: TokenBatchDialogProps) {
  const [created, setCreated] = useState<CreatedTokens | null>(null)
  return (
    <Dialog
      trigger={trigger}
      // The page forgets the tokens when the dialog closes.
      onClose={() => setCreated(null)}
      title={
        created ? 'Download the configs now' : project ? 'Tokens for participants' : 'Tokens for many users'
      }
      description={
        created
          ? null
          : project
            ? `Each token submits jobs to ${project.project_id}, reads and cancels them, and does nothing else. It ends when its user leaves the class.`
            : 'Each token can submit jobs for its user and read all of their jobs. For a class, create the tokens on the page of the class.'
      }
      footer={
        created ? (
          <DialogClose>
            <Button>Done, I saved the file</Button>
          </DialogClose>
        ) : null
      }
    >
      {created ? (
        <CreatedConfigs created={created} />
      ) : (
        <TokenBatchForm project={project} onCreated={setCreated} />
      )}
    </Dialog>
  )
}

function CreatedConfigs({ created }: { created: CreatedTokens }) {
  const save = () => saveConfigs(created).catch((error: unknown) => toastError('Saving failed', error))
  return (
    <Callout tone="warning" title={`${formatCount(created.tokens.length, 'token')} created`} announce>
      You see these tokens only once. The file has a directory for each user with a config.yaml. Send each
      person only their own: whoever has a config submits in this person’s name.
      <Button icon={Download} variant="primary" className="mt-3 flex" onClick={() => void save()}>
        Download configs
      </Button>
    </Callout>
  )
}

interface TokenBatchFormProps {
  project: Project | undefined
  onCreated: (created: CreatedTokens) => void
}

function TokenBatchForm({ project, onCreated }: TokenBatchFormProps) {
  const { mutateAsync } = useMutation(createTokens)
  const [problems, setProblems] = useState<readonly FieldError[]>([])
  const form = useSchemaForm({
    schema: () =>
      import('./token-schemas').then(({ classTokensSchema, manyTokensSchema }) =>
        project ? classTokensSchema : manyTokensSchema,
      ),
    initial: {
      users: project?.agreed.filter((handle) => handle !== project.owner).join('\n') ?? '',
      project_id: '',
      competition_id: '',
      name: project ? `for ${project.project_id}` : 'class',
      days: '90',
      replace: false,
    },
    onSubmit: async ({ users, project_id, competition_id, name, days, replace }) => {
      setProblems([])
      const place = project ? { class_id: project.id, replace } : { project_id }
      const competition = competition_id === '' ? {} : { competition_id }
      try {
        onCreated(await mutateAsync({ users, name, expires_in_days: days, ...place, ...competition }))
      } catch (error) {
        const lines =
          error instanceof ProblemError ? error.errors.filter(({ line }) => line !== undefined) : []
        if (lines.length === 0) throw error
        setProblems(lines)
      }
    },
  })
  const { value, onChange, ...users } = form.field('users')
  return (
    <DialogForm form={form} submitLabel="Create tokens">
      <Field
        label="Users"
        hint={`A user id or an e-mail address in each line, or CSV with the column user_id or email. At most ${maxBatchUsers}.`}
        error={users.error}
        id={users.id}
      >
        <Textarea
          rows={8}
          name={users.name}
          value={value}
          spellCheck={false}
          className="font-mono text-xs"
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      {problems.length === 0 ? null : <WrongLines problems={problems} />}
      {project ? null : (
        <IdField label="Project id" hint="The project_id of the configs." {...form.field('project_id')} />
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="Name" hint="The users see it." {...form.field('name')} />
        <NumberField label="Expires after (days)" inputMode="numeric" {...form.field('days')} />
      </div>
      <IdField
        label="Competition id"
        optional
        hint="The competition_id of the configs. Without it: the project id."
        {...form.field('competition_id')}
      />
      {project ? (
        <CheckboxField
          label="Replace earlier tokens"
          description="Tokens that these users have for this class stop working."
          {...form.field('replace')}
        />
      ) : null}
    </DialogForm>
  )
}

function WrongLines({ problems }: { problems: readonly FieldError[] }) {
  return (
    <Callout tone="danger" title="No token was created. Correct these lines:" announce>
      <ul className="max-h-40 overflow-y-auto">
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            Line {line}: {message}
          </li>
        ))}
      </ul>
    </Callout>
  )
}
