'use client'

import { useMutation } from '@tanstack/react-query'
import { UserMinus } from 'lucide-react'
import { z } from 'zod'
import { updateProject } from '@/components/queries/queries'
import type { Project } from '@/lib/contract/access'
import { idSchema } from '@/lib/contract/jobs'
import { useSchemaForm } from '../shell/use-schema-form'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { Field } from '../ui/field'
import { IconButton } from '../ui/icon-button'
import { Input } from '../ui/input'
import { toast } from '../ui/toaster'

const schema = z.object({ member: idSchema })

/** Who may submit to a project; with `editable`, the way to change that. */
export function ProjectMembers({ project, editable }: { project: Project; editable: boolean }) {
  const { mutate, isPending, variables } = useMutation(updateProject)
  const remove = (member: string) =>
    mutate({ id: project.id, remove_members: [member] }, { onError: (error) => toast.error(error.message) })
  return (
    <section aria-label="Members" className="flex flex-col gap-3">
      <h3 className="font-medium text-ink text-sm">Members</h3>
      <ul className="divide-y rounded-lg border">
        <li className="flex min-h-10 items-center justify-between gap-2 px-3">
          <span className="min-w-0 truncate text-sm">{project.owner}</span>
          <Badge>owner</Badge>
        </li>
        {project.members.map((member) => (
          <li key={member} className="flex min-h-10 items-center justify-between gap-2 px-3">
            <span className="min-w-0 truncate text-sm">{member}</span>
            {editable ? (
              <IconButton
                icon={UserMinus}
                variant="danger"
                label={`Remove ${member}`}
                disabled={isPending && variables?.remove_members?.includes(member)}
                onClick={() => remove(member)}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {editable ? <AddMember id={project.id} /> : null}
    </section>
  )
}

function AddMember({ id }: { id: string }) {
  const { mutateAsync } = useMutation(updateProject)
  const form = useSchemaForm({
    schema,
    initial: { member: '' },
    send: async ({ member }) => {
      await mutateAsync({ id, add_members: [member] })
      form.reset()
    },
  })
  return (
    <form onSubmit={form.submit} noValidate className="flex items-start gap-2">
      <Field
        label="Add a member"
        hint="Their user id. They may submit to this project."
        error={form.errorOf('member') ?? form.failure ?? undefined}
        className="flex-1"
      >
        <Input
          mono
          autoCapitalize="none"
          spellCheck={false}
          value={form.values.member}
          onChange={(event) => form.set({ member: event.target.value })}
        />
      </Field>
      <Button type="submit" className="mt-6" loading={form.working}>
        Add
      </Button>
    </form>
  )
}
