import { Check, type LucideIcon } from 'lucide-react'
import NextLink from 'next/link'
import { DropdownMenu as Radix } from 'radix-ui'
import { type ReactElement, type ReactNode, useRef } from 'react'
import { cn } from './class-names'

export interface DropdownMenuProps {
  /** The button that opens it. */
  trigger: ReactElement
  className?: string | undefined
  children: ReactNode
}

interface MenuRootProps extends DropdownMenuProps {
  /** The keyboard opened it: the first item has the focus. */
  byKeyboard: boolean
}

/** A menu that is open at first. Its button opens it again. */
export function MenuRoot({ trigger, className, byKeyboard, children }: MenuRootProps) {
  const selectFirst = useRef(byKeyboard)
  return (
    <Radix.Root modal={false} defaultOpen>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onFocus={({ target, currentTarget }) => {
            // Radix itself knows only keys that were pressed after it was loaded.
            if (!selectFirst.current || target !== currentTarget) return
            selectFirst.current = false
            currentTarget.querySelector<HTMLElement>('[role^="menuitem"]:not([data-disabled])')?.focus()
          }}
          className={cn(
            'z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 animate-pop-in overflow-y-auto',
            'rounded-lg border bg-raised p-1 shadow-float outline-none',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const itemStyles = [
  'flex min-h-7 pointer-coarse:min-h-10 cursor-default select-none items-center gap-2 rounded-md px-2 py-1 text-sm outline-none',
  'data-disabled:opacity-50 data-highlighted:bg-hover [&_svg]:size-4 [&_svg]:shrink-0',
].join(' ')

export interface MenuItemProps {
  icon?: LucideIcon
  tone?: 'neutral' | 'danger'
  disabled?: boolean
  onSelect?: () => void
  /** Makes it a link. */
  href?: string
  /** With `href`: downloads the file. */
  download?: boolean
  children: ReactNode
}

/** An action or a link. */
export function MenuItem({ icon: Icon, tone, disabled, onSelect, href, download, children }: MenuItemProps) {
  const danger = tone === 'danger'
  const content = (
    <>
      {Icon ? <Icon aria-hidden className={danger ? 'text-danger-ink' : 'text-subtle'} /> : null}
      <span className="min-w-0 flex-1 truncate">{children}</span>
    </>
  )
  const common = {
    className: cn(itemStyles, danger ? 'text-danger-ink' : 'text-ink'),
    ...(disabled === undefined ? {} : { disabled }),
    ...(onSelect ? { onSelect } : {}),
  }
  if (href === undefined) return <Radix.Item {...common}>{content}</Radix.Item>
  return (
    <Radix.Item asChild {...common}>
      {download ? (
        <a href={href} download>
          {content}
        </a>
      ) : (
        <NextLink href={href}>{content}</NextLink>
      )}
    </Radix.Item>
  )
}

/** A heading for the following items. */
export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 py-1 text-subtle text-xs">{children}</Radix.Label>
}

/** A separator between groups of items. */
export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />
}

export interface MenuCheckboxProps {
  checked: boolean
  onCheckedChange: (checked: boolean) => void
  children: ReactNode
}

/** One of several independent choices. The menu stays open. */
export function MenuCheckbox({ checked, onCheckedChange, children }: MenuCheckboxProps) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      onCheckedChange={onCheckedChange}
      onSelect={(event) => event.preventDefault()}
      className={itemStyles}
    >
      <span className="min-w-0 flex-1 truncate">{children}</span>
      <Radix.ItemIndicator>
        <Check aria-hidden className="text-accent-ink" />
      </Radix.ItemIndicator>
    </Radix.CheckboxItem>
  )
}

export interface MenuChoiceProps<Value extends string> {
  label: string
  value: Value | undefined
  options: readonly { value: Value; label: ReactNode; icon?: LucideIcon }[]
  onValueChange: (value: Value) => void
}

/** A choice of one option in a menu. */
export function MenuChoice<Value extends string>({
  label,
  value,
  options,
  onValueChange,
}: MenuChoiceProps<Value>) {
  return (
    <Radix.RadioGroup aria-label={label} value={value ?? ''}>
      {options.map(({ value: own, label: text, icon: Icon }) => (
        <Radix.RadioItem key={own} value={own} className={itemStyles} onSelect={() => onValueChange(own)}>
          {Icon ? <Icon aria-hidden className="text-subtle" /> : null}
          <span className="flex-1">{text}</span>
          <Radix.ItemIndicator>
            <Check aria-hidden className="text-accent-ink" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}
