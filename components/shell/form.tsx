import type { ReactNode } from 'react'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { cn } from '../ui/class-names'
import { DialogClose } from '../ui/dialog'
import { Panel, PanelBody, PanelFooter, PanelHeader, type PanelHeaderProps } from '../ui/panel'
import type { Form } from './use-form'

/** An error that belongs to no single field. */
export function FormError({ error }: { error: string | null }) {
  if (error === null) return null
  return (
    <Callout tone="danger" announce>
      {error}
    </Callout>
  )
}

interface FormProps {
  form: Pick<Form<unknown>, 'error' | 'props' | 'submitting'>
  submitLabel: string
  children: ReactNode
}

/** A form in a dialog: its fields, its error, Cancel and Submit. */
export function DialogForm({ form, submitLabel, children }: FormProps) {
  return (
    <form {...form.props} className="flex flex-col gap-4">
      {children}
      <FormError error={form.error} />
      <div className="flex justify-end gap-2">
        <DialogClose>
          <Button>Cancel</Button>
        </DialogClose>
        <SubmitButton form={form}>{submitLabel}</SubmitButton>
      </div>
    </form>
  )
}

interface PanelFormProps extends FormProps, PanelHeaderProps {
  /** The class of the fields. */
  className?: string
}

/** A form in a panel. */
export function PanelForm({ form, submitLabel, className, children, ...header }: PanelFormProps) {
  return (
    <Panel>
      <PanelHeader {...header} />
      <form {...form.props}>
        <PanelBody className={cn('flex flex-col base:gap-4', className)}>
          {children}
          <FormError error={form.error} />
        </PanelBody>
        <PanelFooter>
          <SubmitButton form={form}>{submitLabel}</SubmitButton>
        </PanelFooter>
      </form>
    </Panel>
  )
}

interface SubmitButtonProps {
  form: Pick<Form<unknown>, 'submitting'>
  size?: 'lg'
  children: ReactNode
}

export function SubmitButton({ form, size, children }: SubmitButtonProps) {
  return (
    <Button type="submit" variant="primary" size={size} loading={form.submitting}>
      {children}
    </Button>
  )
}
