import { roles } from '@/lib/contract/access/roles'
import type { FormFields } from '../shell/use-schema-form'
import { SelectField } from '../ui/select'
import { TextField } from '../ui/text-field'
import type { UserValues } from './form-schemas'

const roleOptions = roles.map((role) => ({
  value: role,
  label: role,
  description: role === 'admin' ? 'Sees and changes everything' : 'Submits jobs and sees their own',
}))

/** The profile of a user. */
export function UserFields({ form }: { form: FormFields<UserValues> }) {
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
