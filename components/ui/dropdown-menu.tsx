import { createContext, type KeyboardEvent, type ReactNode, useContext, useState } from 'react'
import type * as Parts from './menu-parts'
import { onDemand, useOnDemand } from './on-demand'
import { withHandlers } from './with-handlers'

/*
 * Menus are loaded when one is opened first. Their parts come from a context, so that their users do not load them.
 */

export const menuParts = onDemand(() => import('./menu-parts'))
const PartsContext = createContext<typeof Parts | null>(null)

const openingKeys = ['Enter', ' ', 'ArrowDown']

/** A menu of actions under a button. */
export function DropdownMenu({ trigger, className, children }: Parts.DropdownMenuProps) {
  const [opened, setOpened] = useState<'pointer' | 'keyboard' | null>(null)
  const parts = useOnDemand(menuParts, opened !== null)
  if (!parts) {
    const handlers = {
      onPointerDown: () => void menuParts.load(),
      onClick: () => setOpened('pointer'),
      onKeyDown: (event: KeyboardEvent) => {
        if (!openingKeys.includes(event.key)) return
        event.preventDefault()
        setOpened('keyboard')
      },
    }
    return withHandlers(trigger, handlers, { 'aria-haspopup': 'menu', 'aria-expanded': opened !== null })
  }
  return (
    <PartsContext value={parts}>
      <parts.MenuRoot trigger={trigger} className={className} byKeyboard={opened === 'keyboard'}>
        {children}
      </parts.MenuRoot>
    </PartsContext>
  )
}

function useParts(): typeof Parts {
  const parts = useContext(PartsContext)
  if (!parts) throw new Error('The items of a menu must be in a DropdownMenu.')
  return parts
}

/** An action or a link. */
export function MenuItem(props: Parts.MenuItemProps) {
  const parts = useParts()
  return <parts.MenuItem {...props} />
}

/** A heading for the following items. */
export function MenuLabel({ children }: { children: ReactNode }) {
  const parts = useParts()
  return <parts.MenuLabel>{children}</parts.MenuLabel>
}

/** A separator between groups of items. */
export function MenuSeparator() {
  const parts = useParts()
  return <parts.MenuSeparator />
}

/** One of several independent choices. The menu stays open. */
export function MenuCheckbox(props: Parts.MenuCheckboxProps) {
  const parts = useParts()
  return <parts.MenuCheckbox {...props} />
}

/** A choice of one option in a menu. */
export function MenuChoice<Value extends string>(props: Parts.MenuChoiceProps<Value>) {
  const parts = useParts()
  return <parts.MenuChoice {...props} />
}
