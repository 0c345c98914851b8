'use client'

import { type Role, roles } from '@/lib/contract/roles'
import { Field } from '../ui/field'
import { Input } from '../ui/input'
import { Select } from '../ui/select'

interface UserValues {
  email: string
  name: string
  role: Role
}

interface UserFieldsProps {
  values: UserValues
  errorOf: (name: keyof UserValues) => string | undefined
  set: (change: Partial<UserValues>) => void
}

const roleOptions = roles.map((role) => ({
  value: role,
  label: role,
  description: role === 'admin' ? 'Sees and changes everything' : 'Submits jobs, sees their own',
}))

/** What may be said about a user at any time. */
export function UserFields({ values, errorOf, set }: UserFieldsProps) {
  return (
    <>
      <Field label="E-mail" optional hint="They may sign in with it." error={errorOf('email')}>
        <Input
          type="email"
          autoComplete="off"
          value={values.email}
          onChange={(event) => set({ email: event.target.value })}
        />
      </Field>
      <Field label="Name" optional error={errorOf('name')}>
        <Input
          autoComplete="off"
          value={values.name}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      <Field label="Role" error={errorOf('role')}>
        <Select options={roleOptions} value={values.role} onValueChange={(role) => set({ role })} />
      </Field>
    </>
  )
}
