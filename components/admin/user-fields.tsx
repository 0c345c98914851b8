import * as z from 'zod'
import { roles } from '@/lib/contract/access/roles'
import { optionalText } from '../shell/form-values'
import type { FormFields } from '../shell/use-schema-form'
import { SelectField } from '../ui/select'
import { TextField } from '../ui/text-field'

/** The profile of a user, as text. */
export const userShape = {
  email: z.union([z.literal(''), z.email().max(254)]).transform((email) => email || undefined),
  name: optionalText(100),
  role: z.enum(roles),
}

const roleOptions = roles.map((role) => ({
  value: role,
  label: role,
  description: role === 'admin' ? 'Sees and changes everything' : 'Submits jobs and sees their own',
}))

/** The profile of a user. */
export function UserFields({ form }: { form: FormFields<z.input<z.ZodObject<typeof userShape>>> }) {
  return (
    <>
      <TextField
        label="E-mail"
        optional
        hint="The user can sign in with it."
        type="email"
        autoComplete="off"
        {...form.field('email')}
      />
      <TextField label="Name" optional autoComplete="off" {...form.field('name')} />
      <SelectField label="Role" options={roleOptions} {...form.field('role')} />
    </>
  )
}
